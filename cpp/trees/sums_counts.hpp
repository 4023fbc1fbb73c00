// Running state of the Gini criterion where rows have whole numbers as weights (how often a bag drew them)
// and there is one output. With weights c_k of the classes on one side and w their sum, the side costs w -
// sum_k c_k^2 / w. The numbers are those of ClassSums, in whole numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trees/count_bins.hpp"
#include "trees/sums_classes.hpp"

namespace certus::trees {

class CountedGiniSums {
  using Weighted = ClassSums<false, true, true>;

 public:
  static constexpr bool totals_are_weights = true;
  using Shared = Weighted::Shared;
  struct Node {
    void prepare(const Target&, const Shared&, const Summary& summary, std::span<const Row>) {
      weight = static_cast<std::uint64_t>(summary.weight);
      weighted_impurity = summary.weight * summary.impurity;
      totals.assign(summary.totals.begin(), summary.totals.end());
      squares = 0;
      for (const std::uint64_t total : totals) squares += total * total;
    }
    // What is added for each of the node's rows, next to each other.
    void gather(const Target& target, const Shared&, std::span<const Row> rows) {
      counted.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        counted[i] = (CountedRow{target.labels[rows[i]]} << 32) | whole_weight(target, rows[i]);
      }
    }
    std::uint64_t weight = 0;
    std::uint64_t squares = 0;
    double weighted_impurity = 0.0;
    std::vector<std::uint64_t> totals;
    std::vector<CountedRow> counted;
  };
  static Summary summarize(const Target& target, const Shared& shared, std::span<const Row> rows) {
    return Weighted::summarize(target, shared, rows);
  }

  CountedGiniSums(const Target& target, const Shared&, const Node& node)
      : target_(target),
        node_(node),
        left_(static_cast<std::size_t>(target.max_classes)),
        zeros_(left_.size()),
        bins_(target.max_classes) {}

  double total_weight() const { return static_cast<double>(node_.weight); }
  void open(const ColumnView& view, bool missing_left) {
    clear();
    if (view.zeros > 0) {  // what the column does not list = the node - what it lists
      for (Index i = 0; i < view.listed; ++i) add(view.entries[i].row);
      for (std::size_t k = 0; k < left_.size(); ++k) zeros_[k] = node_.totals[k] - left_[k];
      clear();
    }
    if (missing_left) {
      for (Index i = 0; i < view.missing; ++i) add(view.entries[view.listed + i].row);
    }
  }
  void add(Row row) { move(target_.labels[row], whole_weight(target_, row)); }
  void add_zeros() {
    for (std::size_t k = 0; k < left_.size(); ++k) move(k, zeros_[k]);
  }
  Index add_up_to(float threshold, const RowValues& values, bool missing_left) {
    Index left = 0;
    for (Index i = 0; i < values.count; ++i) {  // without branches: which way a row goes cannot be guessed
      const bool goes =
          values.values[i] <= threshold || (missing_left && values.values[i] != values.values[i]);
      const CountedRow row = node_.counted[static_cast<std::size_t>(i)];
      left += goes;
      left_[row >> 32] += goes ? row & 0xffffffffu : 0;
    }
    weight_ = left_squares_ = right_squares_ = 0;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const std::uint64_t rest = node_.totals[k] - left_[k];
      weight_ += left_[k];
      left_squares_ += left_[k] * left_[k];
      right_squares_ += rest * rest;
    }
    return left;
  }

  const CountBins& bins() const { return bins_; }
  void collect(const std::uint8_t* bins, std::span<const Row> rows) {
    bins_.collect(bins, rows, node_.counted.data());
  }
  void open_bins(bool missing_left) {
    clear();
    if (missing_left) add_bin(missing_bin);
  }
  Index add_bin(int bin) {
    return bins_.visit(bin, [&](std::uint64_t label, std::uint64_t weight) { move(label, weight); });
  }

  double gain(Index) const {
    const std::uint64_t right_weight = node_.weight - weight_;
    if (weight_ == 0 || right_weight == 0) return -infinity;
    const double both = static_cast<double>(node_.weight) -
                        static_cast<double>(left_squares_) / static_cast<double>(weight_) -
                        static_cast<double>(right_squares_) / static_cast<double>(right_weight);
    return node_.weighted_impurity - both;
  }
  double left_weight(Index) const { return static_cast<double>(weight_); }
  double left_value(Index) const { return static_cast<double>(left_[0]) / static_cast<double>(weight_); }
  double right_value(Index) const {
    return static_cast<double>(node_.totals[0] - left_[0]) / static_cast<double>(node_.weight - weight_);
  }

 private:
  static std::uint64_t whole_weight(const Target& target, Row row) {
    return static_cast<std::uint32_t>(target.weights[row]);
  }
  void clear() {
    std::fill(left_.begin(), left_.end(), 0);
    weight_ = left_squares_ = 0;
    right_squares_ = node_.squares;
  }
  // (c + w)^2 - c^2 = w (2 c + w)
  void move(std::uint64_t label, std::uint64_t w) {
    const std::uint64_t c = left_[label];
    left_squares_ += w * (2 * c + w);
    right_squares_ -= w * (2 * (node_.totals[label] - c) - w);
    left_[label] = c + w;
    weight_ += w;
  }

  const Target& target_;
  const Node& node_;
  std::vector<std::uint64_t> left_;   // class weights on the left
  std::vector<std::uint64_t> zeros_;  // class weights of the rows that the column does not list
  CountBins bins_;
  std::uint64_t weight_ = 0;
  std::uint64_t left_squares_ = 0;
  std::uint64_t right_squares_ = 0;
};

}  // namespace certus::trees
