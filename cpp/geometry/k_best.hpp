// The k nearest rows seen so far: a sorted list if they are few, else a bounded max-heap. Equal distances are
// ordered by row number, so the result does not depend on the order in which rows are offered. The first k
// rows are taken whatever their distance, even NaN, so that k offers always give k rows.
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
  explicit KBest(Index k) : k_(static_cast<std::size_t>(k)), few_(k <= 24) { nearest_.reserve(k_); }

  void clear() { nearest_.clear(); }

  // A row farther than this cannot be among the k nearest; one exactly as far still can.
  double bound() const {
    if (nearest_.size() < k_) return std::numeric_limits<double>::infinity();
    return few_ ? nearest_.back().distance : nearest_.front().distance;
  }

  void offer(double distance, Index row) {
    const Neighbor candidate{distance, row};
    if (few_) {
      if (nearest_.size() == k_ && !(candidate < nearest_.back())) return;
      insert(candidate);
    } else if (nearest_.size() < k_) {
      nearest_.push_back(candidate);
      std::push_heap(nearest_.begin(), nearest_.end());
    } else if (candidate < nearest_.front()) {
      replace_farthest(candidate);
    }
  }

  // Writes the rows by increasing distance and forgets them.
  void write(double* distances, Index* rows) {
    if (!few_) std::sort_heap(nearest_.begin(), nearest_.end());
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      distances[i] = nearest_[i].distance;
      rows[i] = nearest_[i].row;
    }
    nearest_.clear();
  }

 private:
  void insert(const Neighbor& candidate) {
    if (nearest_.size() < k_) nearest_.push_back(candidate);
    std::size_t hole = nearest_.size() - 1;
    for (; hole > 0 && candidate < nearest_[hole - 1]; --hole) nearest_[hole] = nearest_[hole - 1];
    nearest_[hole] = candidate;
  }

  void replace_farthest(const Neighbor& candidate) {
    std::size_t hole = 0;
    for (;;) {
      std::size_t child = 2 * hole + 1;
      if (child >= k_) break;
      if (child + 1 < k_ && nearest_[child] < nearest_[child + 1]) ++child;
      if (!(candidate < nearest_[child])) break;
      nearest_[hole] = nearest_[child];
      hole = child;
    }
    nearest_[hole] = candidate;
  }

  std::size_t k_;
  bool few_;  // kept sorted
  std::vector<Neighbor> nearest_;
};

// Where a search writes: one row of k reduced distances and k row numbers per query.
struct NeighborTable {
  View2D<double> distances;
  View2D<Index> rows;
};

}  // namespace certus::geometry
