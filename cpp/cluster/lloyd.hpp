// Lloyd's algorithm (Lloyd 1982): minimizes sum_i w_i min_c |x_i - c|^2 from given centers.
//
// Each round assigns every row to its nearest center and moves every center to the weighted mean of its rows.
// Bounds on the distance to the own and to the second nearest center (Hamerly 2010) tell which groups of
// sixteen rows cannot have changed; only rows that change their center change the sums. Sums are in double,
// by blocks whose number depends on the rows alone, combined in order: equal bits for any number of threads.
// Memory: the grouped rows, three numbers a row, and up to 64 times the centers.
#pragma once

#include <cstdint>
#include <span>

#include "cluster/grouped_rows.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::cluster {

struct LloydResult {
  std::int64_t rounds = 0;
  bool settled = false;  // no row changed its center in the last round
};

// Improves the centers in place. Ends when no row changes its center, when the centers' squared moves sum to
// at most `tolerance`, or after `most` rounds. A center without rows moves to the row farthest from its own.
template <class T>
LloydResult lloyd(View2D<const T> rows, const GroupedRows<T>& grouped, std::span<const double> offset,
                  std::span<const double> weights, View2D<double> centers, std::int64_t most,
                  double tolerance, int threads, StopToken& stop);

}  // namespace certus::cluster
