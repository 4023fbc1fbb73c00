// Inner loops of kernel matrices, one version per instruction set (core/isa.hpp). Each fills one line: the
// kernel of one row x with n rows z_j. Where coordinates are needed, `columns` holds the z_j transposed:
// coordinate k of z_j is columns[k * stride + j].
#pragma once

#include <cstddef>

namespace certus::kernels {

struct GramOps {
  // line[j] := exp(min(0, line[j] - norm - norms[j])), where line holds 2 x.z_j
  void (*gaussian)(double* line, const double* norms, double norm, std::ptrdiff_t n);
  // line[j] := exp(-gamma sum_k |x_k - z_jk|)
  void (*laplacian)(double* line, const double* x, const double* columns, std::ptrdiff_t stride,
                    std::ptrdiff_t width, std::ptrdiff_t n, double gamma);
  // line[j] := sum_k (x_k - z_jk)^2
  void (*squared_distance)(double* line, const double* x, const double* columns, std::ptrdiff_t stride,
                           std::ptrdiff_t width, std::ptrdiff_t n);
  // line[j] := prod_k (1 + x_k z_jk)
  void (*all_subsets)(double* line, const double* x, const double* columns, std::ptrdiff_t stride,
                      std::ptrdiff_t width, std::ptrdiff_t n);
  // line[j] := sum over subsets of `degree` coordinates of the product of x_k z_jk; `levels` is scratch space
  // for (degree + 1) n numbers
  void (*anova)(double* line, const double* x, const double* columns, std::ptrdiff_t stride,
                std::ptrdiff_t width, std::ptrdiff_t n, int degree, double* levels);
  // line[j] := sum_k min(x_k, z_jk)
  void (*minimum)(double* line, const double* x, const double* columns, std::ptrdiff_t stride,
                  std::ptrdiff_t width, std::ptrdiff_t n);
  // line[j] := prod_k (1 + x z + |x - z| m^2 / 2 + m^3 / 3) with m = min(x, z), coordinate by coordinate
  void (*spline)(double* line, const double* x, const double* columns, std::ptrdiff_t stride,
                 std::ptrdiff_t width, std::ptrdiff_t n);
};

}  // namespace certus::kernels

namespace certus {
const kernels::GramOps& gram_ops() noexcept;
}
