// Inner loops of coordinate descent over one column of a table, one version per instruction set (see
// core/isa.hpp). The table may be float, the vectors it meets are double.
#pragma once

#include <cstddef>

namespace certus {

struct ColumnOps {
  // sum_i x_i v_i
  double (*dot_f)(const float* x, const double* v, std::ptrdiff_t n);
  double (*dot_d)(const double* x, const double* v, std::ptrdiff_t n);
  // v_i += a x_i
  void (*add_f)(double a, const float* x, double* v, std::ptrdiff_t n);
  void (*add_d)(double a, const double* x, double* v, std::ptrdiff_t n);
};

const ColumnOps& column_ops() noexcept;

}  // namespace certus
