// Value and slope of a loss at one score, where labels of two classes are -1 and 1 for every loss.
#pragma once

#include <type_traits>

#include "core/losses.hpp"

namespace certus {

struct LossPoint {
  double value, slope;
};

inline LossPoint loss_point(Loss loss, double y, double f) {
  return with_loss(loss.kind, [&](auto tag) -> LossPoint {
    using L = typename decltype(tag)::type;
    const L at(std::is_same_v<L, losses::Logistic> ? 0.5 * (y + 1.0) : y, f, loss.parameter);
    return {at.value(), at.slope()};
  });
}

}  // namespace certus
