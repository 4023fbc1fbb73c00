#include "ensemble/stumps.hpp"

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"

namespace certus::ensemble {
namespace {

constexpr std::uint32_t border_bit = 0x80000000u;  // tables have fewer than 2^31 rows
constexpr double tie_share = 1e-12;                // errors this close, relative to all weight, are equal

double largest(const std::vector<double>& weights) {
  return *std::max_element(weights.begin(), weights.end());
}

}  // namespace

StumpSearch::StumpSearch(const trees::ListedColumns& columns, std::span<const trees::Row> rows,
                         std::span<const std::uint32_t> labels, Index classes, int threads, StopToken& stop)
    : rows_(rows.begin(), rows.end()), labels_(labels.begin(), labels.end()), classes_(classes) {
  const std::vector<trees::ColumnPart> parts = columns.root();
  columns_.resize(parts.size());
  parallel_for(static_cast<Index>(parts.size()), threads, stop, [&](Index i, int) {
    trees::ColumnScratch scratch;
    const trees::ColumnView view = columns.sorted(parts[i], rows, scratch, stop);
    Column& column = columns_[i];
    column.order.resize(static_cast<std::size_t>(view.listed));
    column.values.resize(column.order.size());
    column.zeros = view.zeros;
    column.zero_at = view.zeros > 0 ? view.zero_at : view.listed;
    for (Index k = 0; k < view.listed; ++k) {
      const float value = view.entries[k].value;
      float next = k + 1 < view.listed ? view.entries[k + 1].value : value;
      if (view.zeros > 0 && k + 1 == view.zero_at) next = 0.0f;
      column.order[k] = view.entries[k].row | (trees::tied(value, next) ? 0 : border_bit);
      column.values[k] = value;
    }
  });
}

// Tells the rows of a column in order: visit(row), visit.zeros(), and visit.border(listed, zeros_left)
// wherever a threshold fits.
template <class Visit>
void StumpSearch::walk(const Column& column, Visit&& visit) {
  const auto listed = static_cast<Index>(column.order.size());
  for (Index k = 0; k < column.zero_at; ++k) {
    visit.row(column.order[k] & ~border_bit);
    if (column.order[k] & border_bit) visit.border(k + 1, false);
  }
  if (column.zeros == 0) return;
  visit.zeros();
  if (column.zero_at < listed && !trees::tied(0.0f, column.values[column.zero_at])) {
    visit.border(column.zero_at, true);
  }
  for (Index k = column.zero_at; k < listed; ++k) {
    visit.row(column.order[k] & ~border_bit);
    if (column.order[k] & border_bit) visit.border(k + 1, true);
  }
}

StumpSearch::Found StumpSearch::search_two(const Column& column, const Totals& totals, double bar) const {
  struct Visit {
    const double* signed_weights;
    double zero_sum, sum = 0.0, low, high;
    Index low_at = -1, high_at = -1;
    bool low_zeros = false, high_zeros = false;
    double tie = 0.0;
    void row(std::uint32_t row) { sum += signed_weights[row]; }
    void zeros() { sum += zero_sum; }
    void border(Index left, bool zeros_left) {
      if (sum < low) {
        low = sum - tie;
        low_at = left;
        low_zeros = zeros_left;
      }
      if (sum > high) {
        high = sum + tie;
        high_at = left;
        high_zeros = zeros_left;
      }
    }
  };
  double listed_sum = 0.0;
  if (column.zeros > 0) {
    for (const std::uint32_t entry : column.order) listed_sum += totals.signed_weights[entry & ~border_bit];
  }
  const double zero_weight = totals.classes[0], one_weight = totals.classes[1];
  // only what beats the bar by more than a tie is of interest
  Visit visit{totals.signed_weights.data(), one_weight - zero_weight - listed_sum, 0.0,
              bar - zero_weight - totals.tie, one_weight - bar + totals.tie};
  visit.tie = totals.tie;
  walk(column, visit);
  const double low_error = visit.low_at >= 0 ? zero_weight + visit.low + totals.tie : bar;
  const double high_error = visit.high_at >= 0 ? one_weight - visit.high + totals.tie : bar;
  if (visit.low_at < 0 && visit.high_at < 0) return {bar, 0.0, -1, false};
  if (high_error + totals.tie < low_error) return {high_error, 0.0, visit.high_at, visit.high_zeros};
  return {low_error, 0.0, visit.low_at, visit.low_zeros};
}

StumpSearch::Found StumpSearch::search_many(const Column& column, const Totals& totals,
                                            std::span<const double> weights, double bar) const {
  struct Visit {
    const StumpSearch& search;
    const Totals& totals;
    std::span<const double> weights;
    std::vector<double> left, zero;
    Found best;
    double all;
    void row(std::uint32_t row) { left[search.labels_[row]] += weights[row]; }
    void zeros() {
      for (std::size_t k = 0; k < left.size(); ++k) left[k] += zero[k];
    }
    void border(Index count, bool zeros_left) {
      double most_left = 0.0, most_right = 0.0;
      for (std::size_t k = 0; k < left.size(); ++k) {
        most_left = std::max(most_left, left[k]);
        most_right = std::max(most_right, totals.classes[k] - left[k]);
      }
      const double error = all - most_left - most_right;
      if (error < best.error - totals.tie) best = {error, 0.0, count, zeros_left};
    }
  };
  const auto size = static_cast<std::size_t>(classes_);
  Visit visit{*this, totals, weights, std::vector<double>(size), totals.classes, {bar, 0.0, -1, false}, 0.0};
  for (const double weight : totals.classes) visit.all += weight;
  for (const std::uint32_t entry : column.order) {
    const std::uint32_t row = entry & ~border_bit;
    if (column.zeros > 0) visit.zero[labels_[row]] -= weights[row];
  }
  walk(column, visit);
  return visit.best;
}

Stump StumpSearch::best(std::span<const double> weights, int threads, StopToken& stop) const {
  Totals totals;
  totals.classes.assign(static_cast<std::size_t>(classes_), 0.0);
  for (const trees::Row row : rows_) totals.classes[labels_[row]] += weights[row];
  double all = 0.0;
  for (const double weight : totals.classes) all += weight;
  totals.tie = tie_share * all;
  if (classes_ == 2) {
    totals.signed_weights.resize(labels_.size());
    for (const trees::Row row : rows_)
      totals.signed_weights[row] = labels_[row] ? weights[row] : -weights[row];
  }
  // A split as good as the same class everywhere still counts: the bar lies a little above that.
  const double bar = all - largest(totals.classes) + 2.5 * totals.tie;
  std::vector<Found> found(columns_.size(), Found{bar, 0.0, -1, false});
  parallel_for(static_cast<Index>(columns_.size()), threads, stop, [&](Index i, int) {
    found[i] =
        classes_ == 2 ? search_two(columns_[i], totals, bar) : search_many(columns_[i], totals, weights, bar);
  });
  Index winner = -1;
  for (Index i = 0; i < static_cast<Index>(found.size()); ++i) {
    if (found[i].left < 0 && !found[i].zeros_left) continue;
    if (winner < 0 || found[i].error < found[winner].error - totals.tie) winner = i;
  }
  if (winner >= 0 && !stop.requested()) return describe(winner, found[winner], weights);
  Stump same;
  same.left = totals.classes;
  same.right.assign(totals.classes.size(), 0.0);
  return same;
}

Stump StumpSearch::describe(Index feature, const Found& found, std::span<const double> weights) const {
  const Column& column = columns_[feature];
  const auto listed = static_cast<Index>(column.order.size());
  // The values on both sides of the border; zeros lie between the listed values.
  const bool before_zeros = column.zeros > 0 && !found.zeros_left && found.left == column.zero_at;
  const bool after_zeros = column.zeros > 0 && found.zeros_left && found.left == column.zero_at;
  const double low = after_zeros ? 0.0 : column.values[found.left - 1];
  const double high = before_zeros || found.left == listed ? 0.0 : column.values[found.left];
  Stump stump;
  stump.feature = feature;
  stump.threshold = low / 2.0 + high / 2.0;
  std::vector<double> listed_left(static_cast<std::size_t>(classes_)), listed_all(listed_left),
      all(listed_left);
  for (Index k = 0; k < listed; ++k) {
    const std::uint32_t row = column.order[k] & ~border_bit;
    listed_all[labels_[row]] += weights[row];
    if (k < found.left) listed_left[labels_[row]] += weights[row];
  }
  for (const trees::Row row : rows_) all[labels_[row]] += weights[row];
  stump.left = listed_left;
  stump.right.resize(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (found.zeros_left) stump.left[k] += all[k] - listed_all[k];
    stump.right[k] = std::max(0.0, all[k] - stump.left[k]);
  }
  return stump;
}

}  // namespace certus::ensemble
