// Inner loops between a table's row (float or double) and coefficients in double, one version per instruction
// set (see core/isa.hpp). Sums run in a fixed number of lanes.
#pragma once

#include <cstddef>

namespace certus::linear {

struct RowOps {
  // sum_j x_j w_j
  double (*dot_f)(const float* x, const double* w, std::ptrdiff_t n);
  double (*dot_d)(const double* x, const double* w, std::ptrdiff_t n);
  // sum_j x_j^2
  double (*square_f)(const float* x, std::ptrdiff_t n);
  double (*square_d)(const double* x, std::ptrdiff_t n);
  // w_j += a x_j
  void (*add_f)(double a, const float* x, double* w, std::ptrdiff_t n);
  void (*add_d)(double a, const double* x, double* w, std::ptrdiff_t n);
  // x_j := exp(x_j) for x_j <= 0; below -707 the result is as good as 0
  void (*exp_negative)(double* x, std::ptrdiff_t n);
};

}  // namespace certus::linear

namespace certus {

const linear::RowOps& machine_row_ops() noexcept;

}  // namespace certus
