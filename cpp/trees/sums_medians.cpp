#include "trees/sums_medians.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace certus::trees {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

std::vector<Row> rows_by_value(const Target& target, Index output, std::span<const Row> rows) {
  std::vector<Row> order(rows.begin(), rows.end());
  const auto value = [&](Row row) { return target.values[row * target.outputs + output]; };
  std::stable_sort(order.begin(), order.end(), [&](Row a, Row b) { return value(a) < value(b); });
  return order;
}

SortedValues sorted_values(const Target& target, Index output, std::span<const Row> order) {
  SortedValues sorted;
  sorted.values.reserve(order.size());
  sorted.weights.reserve(order.size());
  for (const Row row : order) {
    sorted.values.push_back(target.values[row * target.outputs + output]);
    sorted.weights.push_back(target.weight(row));
    sorted.weight += sorted.weights.back();
  }
  ShrinkingMedian all;
  all.reset(sorted);
  sorted.center = all.median();
  for (std::size_t i = 0; i < sorted.values.size(); ++i) {
    sorted.values[i] -= sorted.center;
    sorted.sum += sorted.weights[i] * sorted.values[i];
  }
  return sorted;
}

double cost_around_zero(const SortedValues& sorted) {
  double cost = 0.0;
  for (std::size_t i = 0; i < sorted.values.size(); ++i)
    cost += sorted.weights[i] * std::abs(sorted.values[i]);
  return cost;
}

}  // namespace

void ShrinkingMedian::reset(const SortedValues& sorted) {
  sorted_ = &sorted;
  const auto count = static_cast<std::uint32_t>(sorted.values.size());
  next_.resize(count);
  previous_.resize(count);
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    next_[rank] = rank + 1 < count ? rank + 1 : none;
    previous_[rank] = rank > 0 ? rank - 1 : none;
  }
  middle_ = 0;
  below_ = sum_below_ = 0.0;
  weight_ = sorted.weight;
  sum_ = sorted.sum;
  settle();
}

void ShrinkingMedian::remove(std::uint32_t rank) {
  const double w = sorted_->weights[rank], wy = w * sorted_->values[rank];
  const std::uint32_t before = previous_[rank], after = next_[rank];
  weight_ -= w;
  sum_ -= wy;
  if (rank < middle_) {
    below_ -= w;
    sum_below_ -= wy;
  } else if (rank == middle_) {
    if (after != none) {
      middle_ = after;
    } else if (before != none) {
      middle_ = before;
      below_ -= sorted_->weights[before];
      sum_below_ -= sorted_->weights[before] * sorted_->values[before];
    } else {
      middle_ = none;
    }
  }
  if (before != none) next_[before] = after;
  if (after != none) previous_[after] = before;
  if (middle_ != none) settle();
}

void ShrinkingMedian::settle() {
  const double half = 0.5 * weight_;
  while (below_ >= half && previous_[middle_] != none) {
    middle_ = previous_[middle_];
    below_ -= sorted_->weights[middle_];
    sum_below_ -= sorted_->weights[middle_] * sorted_->values[middle_];
  }
  while (below_ + sorted_->weights[middle_] < half && next_[middle_] != none) {
    below_ += sorted_->weights[middle_];
    sum_below_ += sorted_->weights[middle_] * sorted_->values[middle_];
    middle_ = next_[middle_];
  }
}

double ShrinkingMedian::median() const {
  if (middle_ == none) return 0.0;
  const double value = sorted_->values[middle_];
  const bool half_reached = below_ + sorted_->weights[middle_] == 0.5 * weight_;
  if (!half_reached || next_[middle_] == none) return value;
  return 0.5 * value + 0.5 * sorted_->values[next_[middle_]];
}

double ShrinkingMedian::cost() const {
  if (middle_ == none) return 0.0;
  const double value = sorted_->values[middle_];
  // weight and sum above the middle; its own cost is 0
  const double above = weight_ - below_, sum_above = sum_ - sum_below_;
  return (value * below_ - sum_below_) + (sum_above - value * above);
}

void AbsoluteSums::Node::prepare(const Target& target, Shared& shared, const Summary& summary,
                                 std::span<const Row> rows) {
  weight = summary.weight;
  cost = summary.weight * summary.impurity;
  outputs.resize(static_cast<std::size_t>(target.outputs));
  for (Index output = 0; output < target.outputs; ++output) {
    const std::vector<Row> order = rows_by_value(target, output, rows);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      shared.ranks[order[rank] * target.outputs + output] = static_cast<std::uint32_t>(rank);
    }
    outputs[output] = sorted_values(target, output, order);
  }
}

Summary AbsoluteSums::summarize(const Target& target, const Shared&, std::span<const Row> rows) {
  Summary summary;
  summary.totals.resize(static_cast<std::size_t>(target.outputs));
  for (Index output = 0; output < target.outputs; ++output) {
    const SortedValues sorted = sorted_values(target, output, rows_by_value(target, output, rows));
    summary.weight = sorted.weight;
    summary.impurity += cost_around_zero(sorted);
    summary.totals[output] = sorted.center;
  }
  summary.impurity /= static_cast<double>(target.outputs) * summary.weight;
  return summary;
}

void AbsoluteSums::open(const ColumnView& view, bool missing_left) {
  arrange(view, missing_left);
  const std::size_t places = order_.size() + 1;
  left_cost_.assign(places, 0.0);
  right_cost_.assign(places, 0.0);
  left_median_.assign(places, 0.0);
  right_median_.assign(places, 0.0);
  left_weights_.assign(places, 0.0);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    left_weights_[i + 1] = left_weights_[i] + target_.weight(order_[i]);
  }
  for (Index output = 0; output < target_.outputs; ++output) sum_costs(output);
}

// The rows in the order in which the scan moves them to the left.
void AbsoluteSums::arrange(const ColumnView& view, bool missing_left) {
  order_.clear();
  const auto append = [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) order_.push_back(view.entries[i].row);
  };
  if (missing_left) append(view.listed, view.listed + view.missing);
  if (view.zeros > 0) {
    listed_.resize(static_cast<std::size_t>(target_.rows), 0);
    for (Index i = 0; i < view.listed; ++i) listed_[view.entries[i].row] = 1;
    append(0, view.zero_at);
    for (const Row row : view.rows) {
      if (!listed_[row]) order_.push_back(row);
    }
    append(view.zero_at, view.listed);
    for (Index i = 0; i < view.listed; ++i) listed_[view.entries[i].row] = 0;
  } else {
    append(0, view.listed);
  }
  if (!missing_left) append(view.listed, view.listed + view.missing);
}

void AbsoluteSums::sum_costs(Index output) {
  const SortedValues& sorted = node_.outputs[static_cast<std::size_t>(output)];
  const auto rank = [&](std::size_t place) {
    return shared_.ranks[order_[place] * target_.outputs + output];
  };
  const double share = 1.0 / static_cast<double>(target_.outputs);
  median_.reset(sorted);
  for (std::size_t left = order_.size(); left > 0; --left) {
    left_cost_[left] += share * median_.cost();
    left_median_[left] = sorted.center + median_.median();
    median_.remove(rank(left - 1));
  }
  median_.reset(sorted);
  for (std::size_t left = 0; left < order_.size(); ++left) {
    right_cost_[left] += share * median_.cost();
    right_median_[left] = sorted.center + median_.median();
    median_.remove(rank(left));
  }
}

}  // namespace certus::trees
