// Does an array hold only finite numbers, also after multiplication by a scale? One pass, memory-bound, so
// that it can be asked of every input. A scale of max / limit asks whether all magnitudes are at most the
// limit.
#pragma once

#include <cstddef>

namespace certus {

struct FiniteOps {
  bool (*all_finite_f)(const float* values, std::ptrdiff_t n, float scale);
  bool (*all_finite_d)(const double* values, std::ptrdiff_t n, double scale);
};

const FiniteOps& finite_ops() noexcept;

}  // namespace certus
