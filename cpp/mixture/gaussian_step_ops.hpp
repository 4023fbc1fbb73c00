// Inner loops of Gaussian mixtures over a group of rows that lie column by column (the entries of a column
// side by side, one lane per row), one version per instruction set.
#pragma once

#include <cstddef>

namespace certus {

namespace mixture {
constexpr std::ptrdiff_t group_rows = 128;
constexpr std::ptrdiff_t tile = 4;  // columns are padded to a multiple of it where products are made
}  // namespace mixture

struct GaussianStepOps {
  // out := x - mean for the columns of a group.
  void (*center)(const double* x, const double* mean, std::ptrdiff_t columns, double* out);
  // squares := |factor' c|^2 for every lane; factor (columns x columns) is upper triangular, columns padded.
  void (*triangular_squares)(const double* centered, const double* factor, std::ptrdiff_t columns,
                             double* squares);
  // squares := sum_j ((x_j - mean_j) scale_j)^2 for every lane.
  void (*scaled_squares)(const double* x, const double* mean, const double* scale, std::ptrdiff_t columns,
                         double* squares);
  // joint (components x lanes) becomes weight * exp(joint - largest) / total for every lane.
  void (*shares)(double* joint, std::ptrdiff_t components, const double* weights, double* largest,
                 double* total);
  // first += sum share c, second += sum share c c' (on and above the diagonal), columns padded; returns the
  // sum of the shares.
  double (*product_moments)(const double* centered, const double* share, std::ptrdiff_t columns,
                            double* first, double* second);
  // first += sum share c, second += sum share c^2 for c = x - center; returns the sum of the shares.
  double (*squared_moments)(const double* x, const double* center, const double* share,
                            std::ptrdiff_t columns, double* first, double* second);
};

const GaussianStepOps& gaussian_step_ops() noexcept;

}  // namespace certus
