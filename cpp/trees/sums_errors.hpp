// Running state of the misclassification criterion. With weights c_k of the classes on one side, that side's
// cost is the weight that its most frequent class does not have, sum_k c_k - max_k c_k. The gain of a split
// is the cost of the node minus those of both sides, averaged over the outputs:
//   (max_k left_k + max_k right_k - max_k node_k) / outputs.
#pragma once

#include <algorithm>
#include <vector>

#include "trees/scan.hpp"
#include "trees/sums_classes.hpp"
#include "trees/target.hpp"

namespace certus::trees {

class ErrorSums {
 public:
  static constexpr bool totals_are_weights = true;
  struct Shared {
    explicit Shared(const Target&) {}
  };
  struct Node {
    void prepare(const Target& target, const Shared&, const Summary& summary, std::span<const Row>) {
      weight = summary.weight;
      totals = summary.totals;
      most = 0.0;
      for (Index output = 0; output < target.outputs; ++output) most += largest(target, totals, output);
    }
    double weight = 0.0;
    double most = 0.0;  // sum over the outputs of the largest class weight
    std::vector<double> totals;
  };
  static Summary summarize(const Target& target, const Shared&, std::span<const Row> rows) {
    Summary summary = class_totals(target, rows);
    for (Index output = 0; output < target.outputs; ++output) {
      summary.impurity += summary.weight - largest(target, summary.totals, output);
    }
    summary.impurity =
        std::max(0.0, summary.impurity / (static_cast<double>(target.outputs) * summary.weight));
    return summary;
  }

  ErrorSums(const Target& target, const Shared&, const Node& node)
      : target_(target), node_(node), left_(static_cast<std::size_t>(target.value_size())), zeros_(left_) {}

  double total_weight() const { return node_.weight; }
  void open(const ColumnView& view, bool missing_left) {
    clear();
    if (view.zeros > 0) {  // what the column does not list = the node - what it lists
      for (Index i = 0; i < view.listed; ++i) add(view.entries[i].row);
      for (std::size_t i = 0; i < left_.size(); ++i) zeros_[i] = node_.totals[i] - left_[i];
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
    for (Index output = 0; output < target_.outputs; ++output) {
      left_[output * target_.max_classes + target_.labels[row * target_.outputs + output]] += w;
    }
  }
  void add_zeros() {
    for (std::size_t i = 0; i < left_.size(); ++i) left_[i] += zeros_[i];
    weight_ += zero_weight_;
  }
  double gain(Index) const {
    if (!(weight_ > 0.0 && node_.weight - weight_ > 0.0)) return -infinity;
    double most = 0.0;
    for (Index output = 0; output < target_.outputs; ++output) {
      const Index begin = output * target_.max_classes;
      double left = 0.0, right = 0.0;
      for (Index k = begin; k < begin + target_.classes[output]; ++k) {
        left = std::max(left, left_[k]);
        right = std::max(right, node_.totals[k] - left_[k]);
      }
      most += left + right;
    }
    return (most - node_.most) / static_cast<double>(target_.outputs);
  }
  double left_weight(Index) const { return weight_; }
  double left_value(Index) const { return left_[0] / weight_; }
  double right_value(Index) const { return (node_.totals[0] - left_[0]) / (node_.weight - weight_); }

 private:
  static double largest(const Target& target, const std::vector<double>& totals, Index output) {
    const double* first = totals.data() + output * target.max_classes;
    return *std::max_element(first, first + target.classes[output]);
  }
  void clear() {
    std::fill(left_.begin(), left_.end(), 0.0);
    weight_ = 0.0;
  }

  const Target& target_;
  const Node& node_;
  std::vector<double> left_;   // class weights on the left
  std::vector<double> zeros_;  // class weights of the rows that the column does not list
  double weight_ = 0.0;
  double zero_weight_ = 0.0;
};

}  // namespace certus::trees
