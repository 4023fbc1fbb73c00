// The distances that the kernels know, all sums (or a maximum) of one term per column. They work with the
// *reduced* distance, which orders points in the same way and needs no root:
//
//   squared_euclidean    sum_j (x_j - y_j)^2
//   manhattan            sum_j |x_j - y_j|
//   chebyshev            max_j |x_j - y_j|
//   minkowski            sum_j w_j |x_j - y_j|^power      (weights may be absent: all 1)
//   weighted_euclidean   sum_j w_j (x_j - y_j)^2
//   hamming              sum_j 1[x_j != y_j]
//   canberra             sum_j |x_j - y_j| / (|x_j| + |y_j|), 0 / 0 = 0
//
// Every term grows as y_j moves away from x_j to either side, so the distance to the nearest point of a box
// is a lower bound for all points in it, and that to its farthest corner an upper bound.
#pragma once

namespace certus::geometry {

enum class MetricKind : int {
  squared_euclidean = 0,
  manhattan = 1,
  chebyshev = 2,
  minkowski = 3,
  weighted_euclidean = 4,
  hamming = 5,
  canberra = 6
};

struct Metric {
  MetricKind kind;
  double power;           // of minkowski
  const double* weights;  // of minkowski and weighted_euclidean, one per column, or null
};

}  // namespace certus::geometry
