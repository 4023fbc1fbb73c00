// A balanced kd-tree with exact k-nearest-neighbor and radius queries for the metrics of metric.hpp.
//
// Built by halving: a node is cut at the median of the column in which its points spread most widely
// (Friedman, Bentley, Finkel 1977), on borders of whole groups of eight points, until a leaf holds at most
// `leaf_size` points, rounded up to whole groups. Three binary levels are then read as one node with eight
// children, whose tight bounding boxes are stored column by column, so that eight lower bounds cost one pass.
// The points of a leaf are copied next to each other.
//
// Build O(n log n (1 + d / log n)), memory n d for the copied points + about d n / (2 leaf_size) for the
// boxes. Queries run in parallel over fixed blocks. Rows and results do not depend on the number of threads.
//
// Exactness: boxes are tight, so each term of a box's bound is at most the corresponding term of any point in
// it, and rounding keeps that order. A subtree is skipped only if its bound exceeds the k-th distance so far
// by more than the rounding error of two such sums (see `slack`); equal distances are always looked at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/group_access.hpp"
#include "geometry/k_best.hpp"
#include "geometry/median_split.hpp"
#include "geometry/metric.hpp"
#include "geometry/within.hpp"

namespace certus::geometry {

template <class T>
class KdTree {
 public:
  // Copies the rows (row-major, finite, fewer than 2^31). After a stop the tree must not be used.
  KdTree(View2D<const T> rows, Index leaf_size, int threads, StopToken& stop);

  // The k <= rows() nearest rows of each query, by increasing (distance, row). Returns how many points were
  // compared with a query, summed over all queries: the measure of how well the tree suits the data.
  std::int64_t query(View2D<const double> queries, const Metric& metric, int threads, StopToken& stop,
                     NeighborTable out) const;

  // The rows within limits[i] of query i, by increasing row number.
  void within(View2D<const double> queries, const Metric& metric, std::span<const double> limits, int threads,
              StopToken& stop, WithinLists& out) const;

  // How many rows lie within limits[i] of query i. A box that lies inside as a whole is counted without
  // looking at its points, and counting ends as soon as there are `enough`.
  void count_within(View2D<const double> queries, const Metric& metric, std::span<const double> limits,
                    Index enough, int threads, StopToken& stop, std::span<Index> counts) const;

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  // Which row each slot holds: the points in the order of the leaves.
  std::span<const std::int32_t> order() const { return order_; }
  // The coordinates in a slot.
  void point(Index slot, double* out) const {
    const T* lane = points_.data() + slot / lanes * lanes * columns_ + slot % lanes;
    for (Index j = 0; j < columns_; ++j) out[j] = static_cast<double>(lane[j * lanes]);
  }
  // Nodes by level, the root's level is 0, the leaves' is depth(); children of node i are i <<
  // bits_below(level) on.
  int depth() const { return static_cast<int>(levels_.size()); }
  int bits_below(int level) const { return levels_[static_cast<std::size_t>(level)].bits; }
  Index leaves() const { return static_cast<Index>(leaf_groups_.size()) - 1; }
  Index first_slot(Index leaf) const {
    return std::min(rows_, leaf_groups_[static_cast<std::size_t>(leaf)] * lanes);
  }

  struct Pending {
    double bound;
    std::int32_t level;  // depth() for a leaf
    std::int32_t node;   // number within the level
  };

  // Looks at the points near a query, depth first and among the children of a node the nearest first. Boxes
  // farther than limit() are left out, so are nodes with skip(level, node); take(first slot, number of slots,
  // their reduced distances) sees the points of a leaf, some groups at a time.
  template <class Limit, class Skip, class Take>
  void walk(const double* query, const Metric& metric, std::vector<Pending>& stack, Limit&& limit,
            Skip&& skip, Take&& take) const {
    stack.resize(static_cast<std::size_t>(lanes * depth() + 1));  // at most seven wait at each level
    stack.front() = {0.0, 0, 0};
    Pending* top = stack.data() + 1;
    while (top != stack.data()) {
      Pending next = *--top;
      for (;;) {
        const double bound = limit() * slack_;
        if (next.bound > bound || skip(next.level, next.node)) break;
        if (next.level == depth()) {
          compare_leaf(next.node, query, metric, take);
          break;
        }
        Pending* const waiting = push_children(next, query, metric, bound, top);
        if (waiting == top) break;
        top = waiting - 1;
        next = *top;
      }
    }
  }

 private:
  static constexpr Index most_slots = 64;  // that are compared at once

  struct Level {
    int bits;      // a node here has 2^bits children
    Index offset;  // number of the level's first node among all nodes
  };

  using Borders =
      std::vector<std::vector<Index>>;  // per level: where its nodes begin, in groups, and the end
  struct Slots {
    Index begin, middle, end;  // of a node; `middle` is where it is cut
  };

  Slots slots_of(const Borders& borders, std::size_t level, Index node) const;
  void split_nodes(View2D<const T> rows, const Borders& borders, int threads, StopToken& stop);
  void split_small_node(View2D<const T> rows, const Borders& borders, std::size_t top, Index node,
                        SplitSpace<T>& space, StopToken& stop);
  void arrange_levels(int depth);
  void bound_nodes(int threads, StopToken& stop);
  void bound_level(int level, std::vector<T>& child_low, std::vector<T>& child_high);
  std::int64_t search(const double* query, const Metric& metric, KBest& best,
                      std::vector<Pending>& stack) const;
  Index count(const double* query, const Metric& metric, double limit, Index enough,
              std::vector<Pending>& stack) const;
  Index count_leaf(Index leaf, const double* query, const Metric& metric, double limit) const;
  Index rows_below(int level, Index node) const;
  void gather(const double* query, const Metric& metric, double limit, std::vector<Pending>& stack,
              std::vector<Neighbor>& found) const;
  template <class Take>
  void compare_leaf(Index leaf, const double* query, const Metric& metric, Take&& take) const {
    constexpr Index most = most_slots / lanes;
    double found[most_slots];
    const Index first = leaf_groups_[static_cast<std::size_t>(leaf)];
    const Index last = leaf_groups_[static_cast<std::size_t>(leaf) + 1];
    for (Index group = first; group < last; group += most) {
      const Index count = std::min(most, last - group), begin = group * lanes;
      distances(metric, query, points_.data() + begin * columns_, columns_, count, found);
      take(begin, std::min(rows_ - begin, count * lanes), static_cast<const double*>(found));
    }
  }
  Pending* push_children(const Pending& parent, const double* query, const Metric& metric, double bound,
                         Pending* top) const;
  std::vector<std::int32_t> near_to_near(View2D<const double> queries, const Metric& metric, int threads,
                                         StopToken& stop) const;

  Index rows_;
  Index columns_;
  std::vector<Index> leaf_groups_;   // leaf i owns groups leaf_groups_[i] .. leaf_groups_[i + 1] - 1
  std::vector<std::int32_t> order_;  // which row each slot of the groups holds
  AlignedVector<T> points_;          // groups one after another
  std::vector<Level> levels_;        // from the root down
  AlignedVector<T> low_, high_;      // per node: columns x 8 borders of its children's boxes
  double slack_;                     // 1 + rounding error of two sums of `columns` terms
};

}  // namespace certus::geometry
