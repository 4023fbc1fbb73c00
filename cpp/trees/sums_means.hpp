// Running state of the criteria whose prediction is the mean. On one side with weight w, mean m and sum s = w
// m:
//   squared error:     sum_i w_i (y_i - m)^2
//   Poisson deviance:  sum_i w_i y_i log(y_i / m)     (half the deviance; the term sum_i w_i (m - y_i) is 0)
// A split of a node with weight W gains
//   squared error:     sum over outputs of S^2 W / (wL wR), S = sum over the left of w_i (y_i - node mean)
//   Poisson deviance:  sL log(sL / wL) + sR log(sR / wR) - s log(s / W).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "trees/scan.hpp"
#include "trees/sums_classes.hpp"
#include "trees/target.hpp"

namespace certus::trees {

// Weight and mean of each output (in `totals`). The means are corrected by the mean of what they leave over.
Summary weighted_means(const Target& target, std::span<const Row> rows);

// `Single`: one output. `Weighted`: not all weights are 1.
template <bool Single, bool Weighted>
class SquaredSums {
 public:
  static constexpr bool totals_are_weights = false;
  struct Shared {
    explicit Shared(const Target& target)
        : residuals(static_cast<std::size_t>(target.rows * target.outputs)) {}
    std::vector<double> residuals;  // w_i (y_i - node mean), written by the node that owns the row
  };
  struct Node {
    void prepare(const Target& target, Shared& shared, const Summary& summary, std::span<const Row> rows) {
      weight = summary.weight;
      means = summary.totals;
      for (const Row row : rows) {
        const double w = Weighted ? target.weights[row] : 1.0;
        for (Index output = 0; output < target.outputs; ++output) {
          const Index place = row * target.outputs + output;
          shared.residuals[place] = w * (target.values[place] - means[output]);
        }
      }
      const double numerator = weight / static_cast<double>(target.outputs);
      if constexpr (Weighted) {
        scale = numerator;
      } else {
        inverse.prepare(static_cast<Index>(rows.size()), numerator);
      }
    }
    double weight = 0.0;
    double scale = 0.0;
    std::vector<double> means;
    InverseProducts inverse;
  };
  static Summary summarize(const Target& target, const Shared&, std::span<const Row> rows);

  SquaredSums(const Target& target, const Shared& shared, const Node& node)
      : target_(target), shared_(shared), node_(node), left_(static_cast<std::size_t>(target.outputs)) {}

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
      one_ += shared_.residuals[row];
    } else {
      const double* residual = shared_.residuals.data() + row * target_.outputs;
      for (Index output = 0; output < target_.outputs; ++output) left_[output] += residual[output];
    }
  }
  void add_zeros() {
    weight_ += zero_weight_;
    one_ -= listed_one_;
    for (Index output = 0; output < target_.outputs; ++output) left_[output] -= listed_[output];
  }
  double gain(Index left) const {
    double squares = one_ * one_;
    if constexpr (!Single) {
      squares = 0.0;
      for (const double sum : left_) squares += sum * sum;
    }
    if constexpr (Weighted) {
      const double product = weight_ * (node_.weight - weight_);
      return product > 0.0 ? squares * node_.scale / product : -infinity;
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
  const Shared& shared_;
  const Node& node_;
  std::vector<double> left_, listed_;    // sums of residuals, several outputs
  double one_ = 0.0, listed_one_ = 0.0;  // the same for a single output
  double weight_ = 0.0;
  double zero_weight_ = 0.0;
};

class PoissonSums {
 public:
  static constexpr bool totals_are_weights = false;
  struct Shared {
    explicit Shared(const Target&) {}
  };
  struct Node {
    void prepare(const Target& target, const Shared&, const Summary& summary, std::span<const Row>) {
      weight = summary.weight;
      sums.assign(summary.totals.begin(), summary.totals.end());
      constant = 0.0;
      for (double& sum : sums) {
        const double mean = sum;
        sum *= weight;
        if (mean > 0.0) constant += sum * std::log(mean);
      }
      outputs = static_cast<double>(target.outputs);
    }
    double weight = 0.0;
    double constant = 0.0;  // sum over outputs of s log(s / W)
    double outputs = 1.0;
    std::vector<double> sums;
  };
  static Summary summarize(const Target& target, const Shared&, std::span<const Row> rows);

  PoissonSums(const Target& target, const Shared&, const Node& node)
      : target_(target), node_(node), left_(static_cast<std::size_t>(target.outputs)), zeros_(left_.size()) {}

  double total_weight() const { return node_.weight; }
  void open(const ColumnView& view, bool missing_left) {
    clear();
    if (view.zeros > 0) {
      for (Index i = 0; i < view.listed; ++i) add(view.entries[i].row);
      for (std::size_t k = 0; k < left_.size(); ++k) zeros_[k] = node_.sums[k] - left_[k];
      zero_weight_ = node_.weight - weight_;
      clear();
    }
    if (missing_left) {
      for (Index i = 0; i < view.missing; ++i) add(view.entries[view.listed + i].row);
    }
  }
  void add(Row row) {
    const double w = target_.weight(row);
    weight_ += w;
    for (Index k = 0; k < target_.outputs; ++k) left_[k] += w * target_.values[row * target_.outputs + k];
  }
  void add_zeros() {
    weight_ += zero_weight_;
    for (std::size_t k = 0; k < left_.size(); ++k) left_[k] += zeros_[k];
  }
  double gain(Index) const {
    const double right_weight = node_.weight - weight_;
    if (!(weight_ > 0.0 && right_weight > 0.0)) return -infinity;
    double sum = -node_.constant;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const double left = left_[k], right = node_.sums[k] - left;
      // A side without any event would predict a rate of 0, for which the deviance is infinite.
      const double nothing = 1e-14 * node_.sums[k];
      if (!(left > nothing && right > nothing)) return -infinity;
      sum += left * std::log(left / weight_) + right * std::log(right / right_weight);
    }
    return sum / node_.outputs;
  }
  double left_weight(Index) const { return weight_; }
  double left_value(Index) const { return left_[0] / weight_; }
  double right_value(Index) const { return (node_.sums[0] - left_[0]) / (node_.weight - weight_); }

 private:
  void clear() {
    weight_ = 0.0;
    std::fill(left_.begin(), left_.end(), 0.0);
  }

  const Target& target_;
  const Node& node_;
  std::vector<double> left_, zeros_;
  double weight_ = 0.0;
  double zero_weight_ = 0.0;
};

}  // namespace certus::trees
