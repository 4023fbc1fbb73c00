// Sums of kernels around weighted rows, sum_i w_i K(|D (x_i - q)|) with D the inverse bandwidth of every
// column.
//
// Rows are cut along a kd-tree into groups of 64, each with its box. For a query the nearest and the farthest
// corner of a box bound every kernel value in it. A group whose values differ by so little that its share of
// the allowed error covers the middle of the two is not looked at; so the sum is wrong by at most
//
//   absolute + relative * sum,
//
// and where no error is asked for, by what rounding does. Gaussian and exponential sums are kept over the
// largest term met so far, so that they do not vanish far from all rows. O(n) vectorized terms per query at
// most, O(n / 64) box bounds at least. Equal bits for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "neighbors/density_ops.hpp"

namespace certus::neighbors {

struct DensityRule {
  DensityKernel kernel;
  std::span<const double> inverse;  // one over the bandwidth, per column
  double absolute;
  double relative;
};

class DensityRows {
 public:
  // Copies the rows (row-major, finite, fewer than 2^31) and their weights, which are positive.
  DensityRows(View2D<const double> rows, std::span<const double> weights, StopToken& stop);

  // out[i] := the logarithm of the sum at query i, minus infinity for 0. With leave_out the queries are the
  // rows themselves, and row i plays no part in the sum at query i.
  void log_sums(View2D<const double> queries, const DensityRule& rule, bool leave_out, int threads,
                StopToken& stop, std::span<double> out) const;

 private:
  struct Work;
  double log_sum(const double* query, const DensityRule& rule, Index own, Work& work) const;

  Index columns_, groups_;
  double total_ = 0.0;
  std::vector<double> points_;   // groups x columns x 64 lanes
  std::vector<double> weights_;  // of every lane, 0 where there is no row
  std::vector<double> group_weights_;
  std::vector<double> low_, high_;   // columns x groups
  std::vector<std::int32_t> slots_;  // of every row
};

// out[i] := log sum_j w_j K(inverse distances(i, j)); overwrites the distances.
void log_sums_at(View2D<double> distances, std::span<const double> weights, DensityKernel kernel,
                 double inverse, int threads, StopToken& stop, std::span<double> out);

}  // namespace certus::neighbors
