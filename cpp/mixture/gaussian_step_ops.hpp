// Inner loops of Gaussian mixtures over a group of rows that lie column by column (the entries of a column
// side by side, one lane per row), one version per instruction set.
#pragma once

#include <cstddef>

namespace certus {

namespace mixture {
constexpr std::ptrdiff_t group_rows = 128;
constexpr std::ptrdiff_t tile = 4;       // columns are padded to a multiple of it where products are made
constexpr std::ptrdiff_t row_width = 8;  // and to a multiple of it where squares are
}  // namespace mixture

struct GaussianStepOps {
  // joint := constant - |factor' (x - mean)|^2 / 2 for every lane; factor (columns x columns) is upper
  // triangular, columns padded.
  void (*triangular_joint)(const double* x, const double* mean, const double* factor, std::ptrdiff_t columns,
                           double constant, double* joint);
  // joint := constant - sum_j (x_j scale_j - shift_j)^2 / 2 for every lane, where shift is mean times scale.
  void (*diagonal_joint)(const double* x, const double* shift, const double* scale, std::ptrdiff_t columns,
                         double constant, double* joint);
  // joint (components x lanes) becomes weight * exp(joint - largest) / total for every lane.
  void (*shares)(double* joint, std::ptrdiff_t components, const double* weights, double* largest,
                 double* total);
  // first += sum share c, second += sum share c c' (on and above the diagonal) for c = x - center, columns
  // padded; returns the sum of the shares.
  double (*product_moments)(const double* x, const double* center, const double* share,
                            std::ptrdiff_t columns, double* first, double* second);
  // first += sum share c, second += sum share c^2 for c = row - center; here rows lie one after another,
  // their width a multiple of row_width. Returns the sum of the shares.
  double (*squared_moments)(const double* rows, const double* center, const double* share,
                            std::ptrdiff_t width, double* first, double* second);
  // Writes some of such rows column by column, one lane per row; lanes beyond them keep what they hold.
  void (*turn)(const double* rows, std::ptrdiff_t count, std::ptrdiff_t width, std::ptrdiff_t columns,
               double* x);
};

const GaussianStepOps& gaussian_step_ops() noexcept;

}  // namespace certus
