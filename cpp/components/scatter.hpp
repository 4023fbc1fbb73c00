// The scatter matrix of the rows of a table around a given point, and their sum: in one pass, without a
// centered copy of the table, in double whatever the table holds.
//
// Blocks of rows are centered into panels that stay in the cache; only the panels on and above the diagonal
// are multiplied: n p (p + 24) operations. Ranges of rows whose number depends on the shape alone are summed
// apart and added in order, so that every number of threads gives equal bits. Memory: at most half a table
// for these sums.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::components {

// out := sum_i w_i (x_i - o)(x_i - o)', sums := sum_i w_i (x_i - o) for w_i = roots[i]^2 (1 without roots).
template <class T>
void scatter(View2D<const T> x, std::span<const double> roots, std::span<const double> origin, int threads,
             StopToken& stop, View2D<double> out, std::span<double> sums);

}  // namespace certus::components
