// Minimum spanning trees of all pairs of rows, without storing the pairs.
//
// The length of an edge is the reduced distance of its rows, or, with core distances c, the mutual
// reachability max(c_i, c_j, d_ij). Edges of equal length are ordered by their rows (the lower, then the
// higher), so the tree is unique: both methods find the same one.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/kd_tree.hpp"
#include "geometry/metric.hpp"

namespace certus::geometry {

// One edge per place: rows.size() - 1 of them.
struct SpanningTree {
  std::span<Index> from;
  std::span<Index> to;
  std::span<double> length;
};

// Prim (1957): grows the tree from row 0. O(n^2 d) time, O(n d) memory. `core` holds reduced core distances
// or is empty.
template <class T>
void prim(View2D<const T> rows, std::span<const double> core, const Metric& metric, int threads,
          StopToken& stop, SpanningTree out);

// Boruvka (1926): every component adds its shortest edge to another one, which a kd-tree finds; at most
// log2(n) rounds. A row whose nearest other component was found keeps it until that row joins its own, and is
// passed over while it is farther away than what its component has already got. Returns the number of edges
// found: all of them unless distances overflow.
template <class T>
Index boruvka(const KdTree<T>& tree, std::span<const double> core, const Metric& metric, int threads,
              StopToken& stop, SpanningTree out);

}  // namespace certus::geometry
