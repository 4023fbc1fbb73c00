// The k nearest rows seen so far: a bounded max-heap. Equal distances are ordered by row number, so the
// result does not depend on the order in which rows are offered. The first k rows are taken whatever their
// distance, even NaN, so that k offers always give k rows.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/view2d.hpp"

namespace certus::geometry {

struct Neighbor {
  double distance;  // reduced, see metric.hpp
  Index row;
  friend bool operator<(const Neighbor& a, const Neighbor& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.row < b.row);
  }
};

class KBest {
 public:
  explicit KBest(Index k) : k_(static_cast<std::size_t>(k)) { heap_.reserve(k_); }

  void clear() { heap_.clear(); }

  // A row farther than this cannot be among the k nearest; one exactly as far still can.
  double bound() const {
    return heap_.size() < k_ ? std::numeric_limits<double>::infinity() : heap_.front().distance;
  }

  void offer(double distance, Index row) {
    const Neighbor candidate{distance, row};
    if (heap_.size() < k_) {
      heap_.push_back(candidate);
      std::push_heap(heap_.begin(), heap_.end());
    } else if (candidate < heap_.front()) {
      replace_farthest(candidate);
    }
  }

  // Writes the rows by increasing distance and forgets them.
  void write(double* distances, Index* rows) {
    std::sort_heap(heap_.begin(), heap_.end());
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      distances[i] = heap_[i].distance;
      rows[i] = heap_[i].row;
    }
    heap_.clear();
  }

 private:
  void replace_farthest(const Neighbor& candidate) {
    std::size_t hole = 0;
    for (;;) {
      std::size_t child = 2 * hole + 1;
      if (child >= k_) break;
      if (child + 1 < k_ && heap_[child] < heap_[child + 1]) ++child;
      if (!(candidate < heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = candidate;
  }

  std::size_t k_;
  std::vector<Neighbor> heap_;
};

// Where a search writes: one row of k reduced distances and k row numbers per query.
struct NeighborTable {
  View2D<double> distances;
  View2D<Index> rows;
};

}  // namespace certus::geometry
