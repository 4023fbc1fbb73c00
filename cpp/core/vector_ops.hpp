// Inner loops over contiguous vectors, one version per instruction set (see isa.hpp). Sums are kept in double
// in a fixed number of lanes, so that one instruction set always gives the same bits.
#pragma once

#include <cstddef>

namespace certus {

struct VectorOps {
  // sum_i a_i b_i
  double (*dot_f)(const float* a, const float* b, std::ptrdiff_t n);
  double (*dot_d)(const double* a, const double* b, std::ptrdiff_t n);
  double (*dot_fd)(const float* a, const double* b, std::ptrdiff_t n);
  // b_i += a x_i
  void (*add_fd)(double a, const float* x, double* b, std::ptrdiff_t n);
  void (*add_d)(double a, const double* x, double* b, std::ptrdiff_t n);
  // sum_i (a_i - b_i)^2
  double (*squared_distance_f)(const float* a, const float* b, std::ptrdiff_t n);
  double (*squared_distance_d)(const double* a, const double* b, std::ptrdiff_t n);
  // x_i := exp(x_i) for x_i <= 0; below -707 the result is as good as 0
  void (*exp_negative)(double* x, std::ptrdiff_t n);
};

const VectorOps& vector_ops() noexcept;

}  // namespace certus
