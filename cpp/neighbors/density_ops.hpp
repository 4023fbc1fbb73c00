// Inner loops of kernel densities over a group of rows that lie column by column (the entries of a column
// side by side, one lane per row), one version per instruction set.
#pragma once

#include <cstddef>

namespace certus {

namespace neighbors {
constexpr std::ptrdiff_t density_group = 64;
// The numbers that Python gives.
enum class DensityKernel : int { gaussian, tophat, epanechnikov, exponential, linear, cosine };
}  // namespace neighbors

struct DensityOps {
  // squares := sum_j ((x_j - query_j) inverse_j)^2 for the lanes of a group.
  void (*squares)(const double* x, const double* query, const double* inverse, std::ptrdiff_t columns,
                  double* squares);
  // The least and the largest squared distance from the query to every box; a column's `count` lower (upper)
  // ends lie side by side.
  void (*box_squares)(const double* low, const double* high, const double* query, const double* inverse,
                      std::ptrdiff_t columns, std::ptrdiff_t count, double* nearest, double* farthest);
  // What a kernel of unit bandwidth is at squared distances: its logarithm minus the shift, at most 0,
  // exponentiated for gaussian and exponential; the others vanish from distance 1 on and have no shift. In
  // place.
  void (*values)(neighbors::DensityKernel kernel, double shift, double* squares, std::ptrdiff_t count);
  // sum weights values over a group.
  double (*weighted_sum)(const double* values, const double* weights);
};

const DensityOps& density_ops() noexcept;

}  // namespace certus
