// The best k-means clustering of numbers on a line, by dynamic programming (Wang and Song 2011).
//
// With rows in ascending order every optimal cluster is a run of them. D_1(j) is the cost of rows 0..j-1 in
// one run, D_q(j) = min_i D_{q-1}(i) + cost(i, j). The cost of a run obeys the quadrangle inequality, so the
// best i does not decrease with j, and halving finds it for all j in O(n log n) per cluster. The cost of a
// run is S2 - S1^2 / S0 of sums over it; S0, S1, S2 are prefix sums kept as pairs of doubles (twice the
// precision), so that tight runs far from the origin cost no digits. Memory: eight numbers a row.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::cluster {

// The least sum of w_i |x_i - c|^2 over at most `clusters` centers; the values ascend, the weights are
// positive.
double line_cost(std::span<const double> values, std::span<const double> weights, Index clusters,
                 StopToken& stop);

}  // namespace certus::cluster
