// The order in which rows are reached (OPTICS: Ankerst, Breunig, Kriegel, Sander 1999).
//
// The next row is the one with the least reachability, of equal ones the first. Once it is visited, and if
// its core distance c is finite, every row that is not yet visited and at most `limit` away can be reached at
// max(c, distance) from it; the least of these values so far, and where it comes from, is kept. Neighborhoods
// are never stored: O(n^2 d) time, O(n d) memory.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/metric.hpp"
#include "geometry/pairwise.hpp"

namespace certus::geometry {

struct ReachOrder {
  std::span<Index> order;          // rows as they are visited
  std::span<double> reachability;  // of a row; infinite where a new region begins
  std::span<Index> predecessor;    // where a row was reached from, or -1
};

// `core` holds distances, infinite for rows that reach no other.
template <class T>
void reach_order(View2D<const T> rows, std::span<const double> core, const Metric& metric, Root root,
                 double limit, int threads, StopToken& stop, ReachOrder out);

}  // namespace certus::geometry
