// Does an array hold only finite numbers? One pass, memory-bound, so that it can be asked of every input.
#pragma once

#include <cstddef>

namespace certus {

struct FiniteOps {
  bool (*all_finite_f)(const float* values, std::ptrdiff_t n);
  bool (*all_finite_d)(const double* values, std::ptrdiff_t n);
};

const FiniteOps& finite_ops() noexcept;

}  // namespace certus
