// Running state of the criteria whose prediction is the mean. With a node's mean m, weight W, and
// S = sum over the left side of w_i (y_i - m), a split of the node gains
//   squared error, sum_i w_i (y_i - mean)^2:              S^2 W / (wL wR)
//   Poisson deviance, sum_i w_i y_i log(y_i / mean):      m (wL f(dL) + wR f(dR)),
//     f(d) = (1 + d) log(1 + d) - d, dL = S / (wL m), dR = -S / (wR m)
//     (half the deviance; its term sum_i w_i (mean - y_i) is 0)
// summed over the outputs and divided by their number. Everything is computed from deviations from the node's
// mean, so that a large common part of the values does no harm.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "trees/scan.hpp"
#include "trees/sums_classes.hpp"
#include "trees/target.hpp"

namespace certus::trees {

// Weight and mean of each output (in `totals`). The means are corrected by the mean of what they leave over.
Summary weighted_means(const Target& target, std::span<const Row> rows);

// w_i (y_i - node mean) of every row and output, written by the node that owns the row.
struct Residuals {
  explicit Residuals(const Target& target) : values(static_cast<std::size_t>(target.rows * target.outputs)) {}
  std::vector<double> values;
};

struct CenteredNode {
  // Also moves the residuals so that they add up to 0 although the mean is rounded.
  void center(const Target& target, Residuals& residuals, const Summary& summary, std::span<const Row> rows);

  double weight = 0.0;
  double outputs = 1.0;
  std::vector<double> means;
};

// `Single`: one output. `Weighted`: not all weights are 1.
template <bool Single, bool Weighted>
class SquaredSums {
 public:
  static constexpr bool totals_are_weights = false;
  using Shared = Residuals;
  struct Node : CenteredNode {
    void prepare(const Target& target, Residuals& residuals, const Summary& summary,
                 std::span<const Row> rows) {
      center(target, residuals, summary, rows);
      if constexpr (!Weighted) inverse.prepare(static_cast<Index>(rows.size()), weight / outputs);
    }
    // What is added for each of the node's rows, next to each other.
    void gather(const Target& target, const Residuals& residuals, std::span<const Row> rows)
      requires Single
    {
      added.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        added[i] = {residuals.values[rows[i]], target.weight(rows[i])};
      }
    }
    InverseProducts inverse;
    std::vector<std::pair<double, double>> added;  // residual and weight
  };
  static Summary summarize(const Target& target, const Residuals&, std::span<const Row> rows);

  SquaredSums(const Target& target, const Residuals& residuals, const Node& node)
      : target_(target),
        residuals_(residuals),
        node_(node),
        left_(static_cast<std::size_t>(target.outputs)),
        bins_(Single ? 2 : 0) {}

  double total_weight() const { return node_.weight; }
  void open(const ColumnView& view, bool missing_left) {
    clear();
    if (view.zeros > 0) {  // residuals of the whole node add up to 0
      for (Index i = 0; i < view.listed; ++i) add(view.entries[i].row);
      listed_ = left_;
      listed_one_ = one_;
      zero_weight_ = node_.weight - weight_;
      clear();
    }
    if (missing_left) {
      for (Index i = 0; i < view.missing; ++i) add(view.entries[view.listed + i].row);
    }
  }
  void add(Row row) {
    if constexpr (Weighted) weight_ += target_.weights[row];
    if constexpr (Single) {
      one_ += residuals_.values[row];
    } else {
      const double* residual = residuals_.values.data() + row * target_.outputs;
      for (Index output = 0; output < target_.outputs; ++output) left_[output] += residual[output];
    }
  }
  void add_zeros() {
    weight_ += zero_weight_;
    one_ -= listed_one_;
    for (Index output = 0; output < target_.outputs; ++output) left_[output] -= listed_[output];
  }

  // Per bin: residuals and weight.
  const BinSums& bins() const
    requires Single
  {
    return bins_;
  }
  void collect(const std::uint8_t* bins, std::span<const Row> rows) {
    const auto* added = node_.added.data();
    bins_.collect(bins, rows, [=](std::size_t i, double* sums) {
      sums[0] += added[i].first;
      if constexpr (Weighted) sums[1] += added[i].second;
    });
  }
  Index add_up_to(float threshold, const RowValues& values, bool missing_left)
    requires Single
  {
    const auto* added = node_.added.data();
    Index left = 0;
    for (Index i = 0; i < values.count; ++i) {  // without branches: which way a row goes cannot be guessed
      const bool goes =
          values.values[i] <= threshold || (missing_left && values.values[i] != values.values[i]);
      left += goes;
      one_ += goes ? added[i].first : 0.0;
      if constexpr (Weighted) weight_ += goes ? added[i].second : 0.0;
    }
    return left;
  }
  void open_bins(bool missing_left) {
    clear();
    if (missing_left) add_bin(missing_bin);
  }
  Index add_bin(int bin) {
    one_ += bins_.sums(bin)[0];
    weight_ += bins_.sums(bin)[1];
    return bins_.rows(bin);
  }

  double gain(Index left) const {
    double squares = one_ * one_;
    if constexpr (!Single) {
      squares = 0.0;
      for (const double sum : left_) squares += sum * sum;
    }
    if constexpr (Weighted) {
      const double product = weight_ * (node_.weight - weight_);
      return product > 0.0 ? squares * (node_.weight / node_.outputs) / product : -infinity;
    } else {
      return squares * node_.inverse[left];
    }
  }
  double left_weight(Index left) const { return Weighted ? weight_ : static_cast<double>(left); }
  double left_value(Index left) const { return node_.means[0] + first_sum() / left_weight(left); }
  double right_value(Index left) const {
    return node_.means[0] - first_sum() / (node_.weight - left_weight(left));
  }

 private:
  double first_sum() const { return Single ? one_ : left_[0]; }
  void clear() {
    weight_ = 0.0;
    one_ = 0.0;
    std::fill(left_.begin(), left_.end(), 0.0);
  }

  const Target& target_;
  const Residuals& residuals_;
  const Node& node_;
  std::vector<double> left_, listed_;    // sums of residuals, several outputs
  double one_ = 0.0, listed_one_ = 0.0;  // the same for a single output
  BinSums bins_;
  double weight_ = 0.0;
  double zero_weight_ = 0.0;
};

class PoissonSums {
 public:
  static constexpr bool totals_are_weights = false;
  using Shared = Residuals;
  struct Node : CenteredNode {
    void prepare(const Target& target, Residuals& residuals, const Summary& summary,
                 std::span<const Row> rows) {
      center(target, residuals, summary, rows);
    }
  };
  static Summary summarize(const Target& target, const Residuals&, std::span<const Row> rows);

  PoissonSums(const Target& target, const Residuals& residuals, const Node& node)
      : target_(target),
        residuals_(residuals),
        node_(node),
        left_(static_cast<std::size_t>(target.outputs)) {}

  double total_weight() const { return node_.weight; }
  void open(const ColumnView& view, bool missing_left) {
    clear();
    if (view.zeros > 0) {  // residuals of the whole node add up to 0
      for (Index i = 0; i < view.listed; ++i) add(view.entries[i].row);
      listed_ = left_;
      zero_weight_ = node_.weight - weight_;
      clear();
    }
    if (missing_left) {
      for (Index i = 0; i < view.missing; ++i) add(view.entries[view.listed + i].row);
    }
  }
  void add(Row row) {
    weight_ += target_.weight(row);
    for (Index k = 0; k < target_.outputs; ++k) left_[k] += residuals_.values[row * target_.outputs + k];
  }
  void add_zeros() {
    weight_ += zero_weight_;
    for (std::size_t k = 0; k < left_.size(); ++k) left_[k] -= listed_[k];
  }
  double gain(Index) const {
    const double right_weight = node_.weight - weight_;
    if (!(weight_ > 0.0 && right_weight > 0.0)) return -infinity;
    double sum = 0.0;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const double mean = node_.means[k];
      const double left = left_[k] / (weight_ * mean), right = -left_[k] / (right_weight * mean);
      // A side without any event would predict a rate of 0, for which the deviance is infinite.
      if (!(1.0 + left > no_events && 1.0 + right > no_events)) return -infinity;
      sum += mean * (weight_ * excess(left) + right_weight * excess(right));
    }
    return sum / node_.outputs;
  }
  double left_weight(Index) const { return weight_; }
  double left_value(Index) const { return node_.means[0] + left_[0] / weight_; }
  double right_value(Index) const { return node_.means[0] - left_[0] / (node_.weight - weight_); }

 private:
  static constexpr double no_events = 1e-12;

  // (1 + d) log(1 + d) - d = d^2/2 - d^3/6 + d^4/12 - ...; the series where the difference would cancel
  static double excess(double d) {
    if (std::abs(d) > 0.01) return (1.0 + d) * std::log1p(d) - d;
    double sum = 0.0;
    for (int k = 9; k >= 2; --k) sum = ((k % 2 == 0) ? 1.0 : -1.0) / (k * (k - 1)) + d * sum;
    return d * d * sum;
  }
  void clear() {
    weight_ = 0.0;
    std::fill(left_.begin(), left_.end(), 0.0);
  }

  const Target& target_;
  const Residuals& residuals_;
  const Node& node_;
  std::vector<double> left_, listed_;  // sums of residuals
  double weight_ = 0.0;
  double zero_weight_ = 0.0;
};

}  // namespace certus::trees
