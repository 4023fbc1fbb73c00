#include "cluster/lloyd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"

namespace certus::cluster {
namespace {

constexpr Index most_blocks = 64;
constexpr Index smallest_block = 64;  // groups

// Sums of the rows of every cluster.
struct Sums {
  Sums(Index clusters, Index columns)
      : totals(static_cast<std::size_t>(clusters * columns), 0.0),
        weights(static_cast<std::size_t>(clusters), 0.0),
        rows(static_cast<std::size_t>(clusters), 0) {}

  void clear() {
    std::fill(totals.begin(), totals.end(), 0.0);
    std::fill(weights.begin(), weights.end(), 0.0);
    std::fill(rows.begin(), rows.end(), 0);
    changed = 0;
  }

  template <class T>
  void add(Index cluster, const T* row, Index columns, double weight, std::int64_t sign) {
    const double signed_weight = sign > 0 ? weight : -weight;
    double* total = totals.data() + cluster * columns;
    for (Index j = 0; j < columns; ++j) total[j] += signed_weight * static_cast<double>(row[j]);
    weights[static_cast<std::size_t>(cluster)] += signed_weight;
    rows[static_cast<std::size_t>(cluster)] += weight > 0.0 ? sign : 0;
  }

  void add(const Sums& other) {
    for (std::size_t at = 0; at < totals.size(); ++at) totals[at] += other.totals[at];
    for (std::size_t c = 0; c < weights.size(); ++c) {
      weights[c] += other.weights[c];
      rows[c] += other.rows[c];
    }
  }

  std::vector<double> totals, weights;
  std::vector<std::int64_t> rows;  // of positive weight
  std::int64_t changed = 0;
};

template <class T>
class Lloyd {
 public:
  Lloyd(View2D<const T> rows, const GroupedRows<T>& grouped, std::span<const double> offset,
        std::span<const double> weights, View2D<double> centers, int threads, StopToken& stop)
      : rows_(rows),
        grouped_(grouped),
        offset_(offset),
        weights_(weights),
        centers_(centers),
        threads_(threads),
        stop_(stop),
        block_(std::max(smallest_block, block_count(grouped.count(), most_blocks))),
        labels_(static_cast<std::size_t>(grouped.count() * lanes), -1),
        upper_(labels_.size(), std::numeric_limits<T>::infinity()),
        lower_(labels_.size(), T(0)),
        sums_(centers.rows, centers.cols),
        changes_(static_cast<std::size_t>(block_count(grouped.count(), block_)),
                 Sums(centers.rows, centers.cols)),
        moves_(static_cast<std::size_t>(centers.rows), T(0)) {}

  LloydResult run(std::int64_t most, double tolerance) {
    LloydResult result;
    while (result.rounds < most && !stop_.requested()) {
      ++result.rounds;
      const std::int64_t changed = assign_rows();
      if (stop_.requested()) break;
      const double moved = move_centers();
      result.settled = changed == 0;
      if (result.settled || moved <= tolerance) break;
    }
    return result;
  }

 private:
  // A relative and an absolute allowance for rounding in the bounds.
  T relative() const { return static_cast<T>(centers_.cols + 8) * std::numeric_limits<T>::epsilon(); }

  // Finds the nearest center of every row that may have a new one; returns how many do.
  std::int64_t assign_rows() {
    const std::vector<T> near = moved<T>(centers_, offset_);
    double largest = 0.0;
    for (const T value : near) largest = std::max(largest, std::abs(static_cast<double>(value)));
    const auto noise = static_cast<T>(4.0 * std::numeric_limits<T>::epsilon() * largest *
                                      std::sqrt(static_cast<double>(centers_.cols)));
    rank_moves();
    parallel_ranges(grouped_.count(), block_, threads_, stop_, [&](Index first, Index last, int) {
      Sums& changes = changes_[static_cast<std::size_t>(first / block_)];
      changes.clear();
      for (Index g = first; g < last && !stop_.poll(); ++g) {
        if (may_change(g, noise)) assign_group(g, near.data(), changes);
      }
    });
    std::int64_t changed = 0;
    for (const Sums& changes : changes_) {
      if (changes.changed == 0) continue;
      sums_.add(changes);
      changed += changes.changed;
    }
    return changed;
  }

  // The center that moved most, and the next one.
  void rank_moves() {
    farthest_ = static_cast<std::int32_t>(std::max_element(moves_.begin(), moves_.end()) - moves_.begin());
    most_moved_ = moves_[static_cast<std::size_t>(farthest_)];
    next_moved_ = T(0);
    for (std::size_t c = 0; c < moves_.size(); ++c) {
      if (static_cast<std::int32_t>(c) != farthest_) next_moved_ = std::max(next_moved_, moves_[c]);
    }
  }

  // Lets the bounds follow the centers; whether some row of the group may have a new nearest center.
  bool may_change(Index group, T noise) {
    bool any = false;
    for (Index i = group * lanes; i < group * lanes + grouped_.used(group); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const std::int32_t label = labels_[row];
      if (label < 0) return true;
      upper_[row] += moves_[static_cast<std::size_t>(label)] + noise;
      lower_[row] -= (label == farthest_ ? next_moved_ : most_moved_) + noise;
      any = any || !(upper_[row] < lower_[row]);
    }
    return any;
  }

  void assign_group(Index group, const T* near, Sums& changes) {
    std::array<std::int32_t, lanes> label;
    std::array<T, lanes> best, second;
    nearest(grouped_.group(group), rows_.cols, near, centers_.rows, label.data(), best.data(), second.data());
    for (Index lane = 0; lane < grouped_.used(group); ++lane) {
      const Index i = group * lanes + lane;
      const auto row = static_cast<std::size_t>(i), at = static_cast<std::size_t>(lane);
      upper_[row] = std::sqrt(best[at]) * (T(1) + relative());
      lower_[row] = std::sqrt(second[at]) * (T(1) - relative());
      if (label[at] == labels_[row]) continue;
      if (labels_[row] >= 0) changes.add(labels_[row], rows_.row(i), rows_.cols, weights_[row], -1);
      changes.add(label[at], rows_.row(i), rows_.cols, weights_[row], 1);
      labels_[row] = label[at];
      ++changes.changed;
    }
  }

  // Moves every center to the mean of its rows; returns the sum of the squared moves.
  double move_centers() {
    Sums sums = sums_;
    for (std::size_t c = 0; c < sums.rows.size(); ++c) {
      if (sums.rows[c] == 0) {  // rounding may leave crumbs of the rows that left
        sums.weights[c] = 0.0;
        std::fill_n(sums.totals.begin() + static_cast<Index>(c) * rows_.cols, rows_.cols, 0.0);
      }
    }
    if (std::find(sums.rows.begin(), sums.rows.end(), 0) != sums.rows.end()) fill_empty(sums);
    const Index largest = std::max_element(sums.weights.begin(), sums.weights.end()) - sums.weights.begin();
    double moved = 0.0;
    for (Index c = 0; c < centers_.rows; ++c) {
      // A cluster that stays empty sits on the heaviest one.
      const Index source = sums.weights[static_cast<std::size_t>(c)] > 0.0 ? c : largest;
      double squared = 0.0;
      for (Index j = 0; j < centers_.cols; ++j) {
        const double mean = sums.totals[static_cast<std::size_t>(source * centers_.cols + j)] /
                            sums.weights[static_cast<std::size_t>(source)];
        const double difference = mean - centers_(c, j);
        squared += difference * difference;
        centers_(c, j) = mean;
      }
      moves_[static_cast<std::size_t>(c)] = static_cast<T>(std::sqrt(squared)) * (T(1) + relative());
      moved += squared;
    }
    return moved;
  }

  // Gives every empty cluster the row that is farthest from its center.
  void fill_empty(Sums& sums) {
    std::vector<double> squared(static_cast<std::size_t>(rows_.rows));
    for (Index i = 0; i < rows_.rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const double* center = centers_.row(labels_[row]);
      for (Index j = 0; j < rows_.cols; ++j) {
        const double difference = static_cast<double>(rows_(i, j)) - center[j];
        squared[row] += difference * difference;
      }
      if (weights_[row] == 0.0) squared[row] = 0.0;
    }
    std::vector<Index> order(squared.size());
    std::iota(order.begin(), order.end(), Index{0});
    const Index empty = std::count(sums.rows.begin(), sums.rows.end(), 0);
    const auto middle = order.begin() + std::min<Index>(empty, rows_.rows);
    std::partial_sort(order.begin(), middle, order.end(), [&](Index a, Index b) {
      const double one = squared[static_cast<std::size_t>(a)], other = squared[static_cast<std::size_t>(b)];
      return one > other || (one == other && a < b);
    });
    auto next = order.begin();
    for (std::size_t c = 0; c < sums.rows.size() && next != middle; ++c) {
      if (sums.rows[c] != 0 || squared[static_cast<std::size_t>(*next)] == 0.0) continue;
      const auto row = static_cast<std::size_t>(*next);
      sums.add(labels_[row], rows_.row(*next), rows_.cols, weights_[row], -1);
      sums.add(static_cast<Index>(c), rows_.row(*next), rows_.cols, weights_[row], 1);
      ++next;
    }
  }

  View2D<const T> rows_;
  const GroupedRows<T>& grouped_;
  std::span<const double> offset_, weights_;
  View2D<double> centers_;
  int threads_;
  StopToken& stop_;
  Index block_;
  std::vector<std::int32_t> labels_;
  std::vector<T> upper_, lower_;  // of the distance to the own center; to the second nearest
  Sums sums_;
  std::vector<Sums> changes_;  // one per block
  std::vector<T> moves_;       // how far each center moved last
  std::int32_t farthest_ = 0;
  T most_moved_ = T(0), next_moved_ = T(0);
};

}  // namespace

template <class T>
LloydResult lloyd(View2D<const T> rows, const GroupedRows<T>& grouped, std::span<const double> offset,
                  std::span<const double> weights, View2D<double> centers, std::int64_t most,
                  double tolerance, int threads, StopToken& stop) {
  return Lloyd<T>(rows, grouped, offset, weights, centers, threads, stop).run(most, tolerance);
}

template LloydResult lloyd<float>(View2D<const float>, const GroupedRows<float>&, std::span<const double>,
                                  std::span<const double>, View2D<double>, std::int64_t, double, int,
                                  StopToken&);
template LloydResult lloyd<double>(View2D<const double>, const GroupedRows<double>&, std::span<const double>,
                                   std::span<const double>, View2D<double>, std::int64_t, double, int,
                                   StopToken&);

}  // namespace certus::cluster
