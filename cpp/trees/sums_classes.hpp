// Running state of the classification criteria. With weights c_k of the classes on one side and w their sum,
//   Gini:    w (1 - sum_k (c_k / w)^2)             = w - sum_k c_k^2 / w
//   entropy: -w sum_k (c_k / w) log2 (c_k / w)     = w log2 w - sum_k c_k log2 c_k
// and the gain of a split is that of the node minus those of both sides, averaged over the outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "trees/scan.hpp"
#include "trees/target.hpp"

namespace certus::trees {

// Class weights of a set of rows, summed in the order of the rows.
Summary class_totals(const Target& target, std::span<const Row> rows);

// 1 / (i (count - i)) for i = 1 .. count - 1: one division per row and node instead of one per row and
// column.
class InverseProducts {
 public:
  void prepare(Index count, double numerator) {
    if (static_cast<Index>(table_.size()) < count) table_.resize(static_cast<std::size_t>(count));
    for (Index i = 1; 2 * i <= count; ++i) {
      const double inverse = numerator / (static_cast<double>(i) * static_cast<double>(count - i));
      table_[i] = inverse;
      table_[count - i] = inverse;  // equal bits for mirrored splits, so that ties are seen as ties
    }
  }
  double operator[](Index left) const { return table_[left]; }

 private:
  std::vector<double> table_;
};

// Gini with two classes, one output and no weights: whole numbers only. With `ones` of N1 rows of class 1
// among `left` of W rows on the left, the gain is 2 (ones W - left N1)^2 / (W left (W - left)).
class BinaryGiniSums {
 public:
  static constexpr bool totals_are_weights = true;
  struct Shared {
    explicit Shared(const Target& target) : is_one(target.labels, target.labels + target.rows) {}
    std::vector<std::uint8_t> is_one;
  };
  struct Node {
    void prepare(const Target&, const Shared&, const Summary& summary, std::span<const Row>) {
      weight = summary.weight;
      ones = summary.totals[1];
      inverse.prepare(static_cast<Index>(weight), 2.0 / weight);
    }
    // What is added for each of the node's rows, next to each other.
    void gather(const Target&, const Shared& shared, std::span<const Row> rows) {
      is_one.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) is_one[i] = shared.is_one[rows[i]];
    }
    double weight = 0.0;
    double ones = 0.0;
    InverseProducts inverse;
    std::vector<std::uint8_t> is_one;
  };
  static Summary summarize(const Target& target, const Shared&, std::span<const Row> rows);

  BinaryGiniSums(const Target&, const Shared& shared, const Node& node) : shared_(shared), node_(node) {}

  double total_weight() const { return node_.weight; }
  void open(const ColumnView& view, bool missing_left) {
    ones_ = 0;
    if (missing_left) add_all(view.entries + view.listed, view.missing);
    if (view.zeros > 0) {
      std::int64_t listed = 0;
      for (Index i = 0; i < view.listed; ++i) listed += shared_.is_one[view.entries[i].row];
      zero_ones_ = static_cast<std::int64_t>(node_.ones) - listed;
    }
  }
  void add(Row row) { ones_ += shared_.is_one[row]; }
  void add_zeros() { ones_ += zero_ones_; }
  Index add_up_to(float threshold, const RowValues& values, bool missing_left) {
    const std::uint8_t* is_one = node_.is_one.data();
    const unsigned missing = missing_left;
    std::uint32_t left = 0, ones = 0;
    for (Index i = 0; i < values.count; ++i) {
      const float value = values.values[i];
      const unsigned goes =
          static_cast<unsigned>(value <= threshold) | (static_cast<unsigned>(value != value) & missing);
      left += goes;
      ones += goes & is_one[i];
    }
    ones_ += ones;
    return left;
  }
  double gain(Index left) const {
    const double excess = static_cast<double>(ones_) * node_.weight - static_cast<double>(left) * node_.ones;
    return excess * excess * node_.inverse[left];
  }
  double left_weight(Index left) const { return static_cast<double>(left); }
  double left_value(Index left) const { return 1.0 - static_cast<double>(ones_) / static_cast<double>(left); }
  double right_value(Index left) const {
    return 1.0 - (node_.ones - static_cast<double>(ones_)) / (node_.weight - static_cast<double>(left));
  }

 private:
  void add_all(const Entry* entries, Index count) {
    for (Index i = 0; i < count; ++i) ones_ += shared_.is_one[entries[i].row];
  }

  const Shared& shared_;
  const Node& node_;
  std::int64_t ones_ = 0;
  std::int64_t zero_ones_ = 0;
};

// Any number of classes and outputs. `Weighted` is false when all weights are 1: then the weights are counts.
// `Single`: one output.
template <bool Entropy, bool Weighted, bool Single>
class ClassSums {
 public:
  static constexpr bool totals_are_weights = true;
  struct Shared {
    explicit Shared(const Target& target) {
      if constexpr (Entropy && !Weighted) {
        c_log_c.resize(static_cast<std::size_t>(target.rows) + 1);
        for (std::size_t c = 1; c < c_log_c.size(); ++c) {
          c_log_c[c] = static_cast<double>(c) * std::log2(static_cast<double>(c));
        }
      }
    }
    std::vector<double> c_log_c;  // c log2 c for every possible count
  };
  struct Node {
    void prepare(const Target&, const Shared&, const Summary& summary, std::span<const Row>) {
      weight = summary.weight;
      weighted_impurity = summary.weight * summary.impurity;
      totals = summary.totals;
    }
    // What is added for each of the node's rows, next to each other.
    void gather(const Target& target, const Shared&, std::span<const Row> rows)
      requires Single
    {
      added.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        added[i] = {Weighted ? target.weights[rows[i]] : 1.0, target.labels[rows[i]]};
      }
    }
    double weight = 0.0;
    double weighted_impurity = 0.0;
    std::vector<double> totals;
    std::vector<std::pair<double, std::uint32_t>> added;  // weight and label
  };
  static Summary summarize(const Target& target, const Shared& shared, std::span<const Row> rows) {
    Summary summary = class_totals(target, rows);
    for (Index output = 0; output < target.outputs; ++output) {
      const double* totals = summary.totals.data() + output * target.max_classes;
      summary.impurity += impurity(target.classes[output], totals, summary.weight, shared);
    }
    summary.impurity /= static_cast<double>(target.outputs) * summary.weight;
    return summary;
  }

  ClassSums(const Target& target, const Shared& shared, const Node& node)
      : target_(target),
        shared_(shared),
        node_(node),
        left_(static_cast<std::size_t>(target.value_size())),
        zeros_(left_.size()),
        left_squares_(static_cast<std::size_t>(target.outputs)),
        right_squares_(left_squares_.size()),
        bins_(Single ? target.max_classes : 0) {}

  double total_weight() const { return node_.weight; }
  void open(const ColumnView& view, bool missing_left) {
    std::fill(left_.begin(), left_.end(), 0.0);
    weight_ = 0.0;
    if (view.zeros > 0) {  // what the column does not list = the node - what it lists
      for (Index i = 0; i < view.listed; ++i) count(view.entries[i].row);
      for (std::size_t i = 0; i < left_.size(); ++i) zeros_[i] = node_.totals[i] - left_[i];
      zero_weight_ = node_.weight - weight_;
      std::fill(left_.begin(), left_.end(), 0.0);
      weight_ = 0.0;
    }
    if (missing_left) {
      for (Index i = 0; i < view.missing; ++i) count(view.entries[view.listed + i].row);
    }
    if constexpr (!Entropy) sum_squares();
  }

  // Gini keeps the sums of squares up to date: (c + w)^2 - c^2 = w (2 c + w).
  void add(Row row) {
    const double w = Weighted ? target_.weights[row] : 1.0;
    weight_ += w;
    for (Index output = 0; output < outputs(); ++output) {
      const Index slot = output * target_.max_classes + target_.labels[row * outputs() + output];
      const double c = left_[slot];
      if constexpr (!Entropy) {
        left_squares_[output] += w * (2.0 * c + w);
        right_squares_[output] -= w * (2.0 * (node_.totals[slot] - c) - w);
      }
      left_[slot] = c + w;
    }
  }
  void add_zeros() {
    for (std::size_t i = 0; i < left_.size(); ++i) left_[i] += zeros_[i];
    weight_ += zero_weight_;
    if constexpr (!Entropy) sum_squares();
  }

  const BinSums& bins() const
    requires Single
  {
    return bins_;
  }
  void collect(const std::uint8_t* bins, std::span<const Row> rows) {
    const auto* added = node_.added.data();
    bins_.collect(bins, rows, [=](std::size_t i, double* sums) { sums[added[i].second] += added[i].first; });
  }
  Index add_up_to(float threshold, const RowValues& values, bool missing_left)
    requires Single
  {
    const auto* added = node_.added.data();
    Index left = 0;
    for (Index i = 0; i < values.count; ++i) {  // without branches: which way a row goes cannot be guessed
      const bool goes =
          values.values[i] <= threshold || (missing_left && values.values[i] != values.values[i]);
      const double w = goes ? added[i].first : 0.0;
      left += goes;
      weight_ += w;
      left_[added[i].second] += w;
    }
    if constexpr (!Entropy) sum_squares();
    return left;
  }
  void open_bins(bool missing_left) {
    std::fill(left_.begin(), left_.end(), 0.0);
    weight_ = 0.0;
    if (missing_left) move_bin(missing_bin);
    if constexpr (!Entropy) sum_squares();
  }
  Index add_bin(int bin) {
    if constexpr (Entropy) {
      move_bin(bin);
      return bins_.rows(bin);
    }
    const double* sums = bins_.sums(bin);
    double left = left_squares_[0], right = right_squares_[0], weight = weight_;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const double w = sums[k], c = left_[k];
      left += w * (2.0 * c + w);
      right -= w * (2.0 * (node_.totals[k] - c) - w);
      left_[k] = c + w;
      weight += w;
    }
    left_squares_[0] = left;
    right_squares_[0] = right;
    weight_ = weight;
    return bins_.rows(bin);
  }

  double gain(Index) const {
    const double right_weight = node_.weight - weight_;
    if (!(weight_ > 0.0 && right_weight > 0.0)) return -infinity;
    double both = 0.0;  // sum over outputs of the weighted impurities of both sides
    for (Index output = 0; output < outputs(); ++output) {
      if constexpr (Entropy) {
        const Index begin = output * target_.max_classes;
        for (Index k = begin; k < begin + target_.classes[output]; ++k) {
          both -= c_log_c(left_[k], shared_) + c_log_c(node_.totals[k] - left_[k], shared_);
        }
        both += c_log_c(weight_, shared_) + c_log_c(right_weight, shared_);
      } else {
        both += node_.weight - left_squares_[output] / weight_ - right_squares_[output] / right_weight;
      }
    }
    return node_.weighted_impurity - both / static_cast<double>(outputs());
  }
  double left_weight(Index) const { return weight_; }
  double left_value(Index) const { return left_[0] / weight_; }
  double right_value(Index) const { return (node_.totals[0] - left_[0]) / (node_.weight - weight_); }

 private:
  Index outputs() const { return Single ? 1 : target_.outputs; }
  static double c_log_c(double c, const Shared& shared) {
    if constexpr (Weighted) {
      return c > 0.0 ? c * std::log2(c) : 0.0;
    } else {
      return shared.c_log_c[static_cast<std::size_t>(c)];
    }
  }
  // The weighted impurity of one output; exactly 0 for a pure one.
  static double impurity(Index classes, const double* totals, double weight, const Shared& shared) {
    double sum = 0.0;
    for (Index k = 0; k < classes; ++k) {
      sum += Entropy ? -c_log_c(totals[k], shared) : totals[k] * (weight - totals[k]) / weight;
    }
    return Entropy ? c_log_c(weight, shared) + sum : sum;
  }
  void count(Row row) {
    const double w = Weighted ? target_.weights[row] : 1.0;
    weight_ += w;
    for (Index output = 0; output < outputs(); ++output) {
      left_[output * target_.max_classes + target_.labels[row * outputs() + output]] += w;
    }
  }
  void move_bin(int bin) {
    const double* sums = bins_.sums(bin);
    for (std::size_t k = 0; k < left_.size(); ++k) {
      left_[k] += sums[k];
      weight_ += sums[k];
    }
  }
  void sum_squares() {
    for (Index output = 0; output < outputs(); ++output) {
      double left = 0.0, right = 0.0;
      const Index begin = output * target_.max_classes;
      for (Index k = begin; k < begin + target_.classes[output]; ++k) {
        const double rest = node_.totals[k] - left_[k];
        left += left_[k] * left_[k];
        right += rest * rest;
      }
      left_squares_[output] = left;
      right_squares_[output] = right;
    }
  }

  const Target& target_;
  const Shared& shared_;
  const Node& node_;
  std::vector<double> left_;   // class weights on the left
  std::vector<double> zeros_;  // class weights of the rows that the column does not list
  std::vector<double> left_squares_;
  std::vector<double> right_squares_;
  BinSums bins_;
  double weight_ = 0.0;
  double zero_weight_ = 0.0;
};

}  // namespace certus::trees
