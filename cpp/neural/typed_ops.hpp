// The inner loops of networks by the type of their numbers.
#pragma once

#include <type_traits>

#include "core/view2d.hpp"
#include "neural/network_ops.hpp"

namespace certus::neural {

template <class T>
struct TypedOps {
#define CERTUS_PICK(name)                     \
  template <class... Args>                    \
  static auto name(Args... args) {            \
    if constexpr (std::is_same_v<T, float>) { \
      return network_ops().name##_f(args...); \
    } else {                                  \
      return network_ops().name##_d(args...); \
    }                                         \
  }
  CERTUS_PICK(activate)
  CERTUS_PICK(chain)
  CERTUS_PICK(add_columns)
  CERTUS_PICK(exponentials)
  CERTUS_PICK(add)
  CERTUS_PICK(multiply)
  CERTUS_PICK(sweep)
#undef CERTUS_PICK
};

}  // namespace certus::neural
