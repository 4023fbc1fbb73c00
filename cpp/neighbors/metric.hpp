// The distances that the kernels know, all sums (or a maximum) of one term per column. They work with the
// *reduced* distance, which orders points in the same way and needs no root:
//
//   squared_euclidean   sum_j (x_j - y_j)^2
//   manhattan           sum_j |x_j - y_j|
//   chebyshev           max_j |x_j - y_j|
//   minkowski           sum_j w_j |x_j - y_j|^power      (weights may be absent: all 1)
//
// Every term grows with |x_j - y_j|, so the distance to a box is a lower bound for all points in it.
#pragma once

namespace certus::neighbors {

enum class MetricKind : int { squared_euclidean = 0, manhattan = 1, chebyshev = 2, minkowski = 3 };

struct Metric {
  MetricKind kind;
  double power;           // of minkowski
  const double* weights;  // of minkowski, one per column, or null
};

}  // namespace certus::neighbors
