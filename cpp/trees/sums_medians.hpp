// Running state of the absolute-error criterion: one side costs sum_i w_i |y_i - median|.
//
// The costs of all left sides along a column come from one pass: start with every row of the node in a list
// linked in the order of y, and take the rows out from the column's end; the median only ever moves to a
// neighbor that is still linked, so a step is O(1) for equal weights. The right sides come from taking the
// rows out from the column's beginning.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trees/scan.hpp"
#include "trees/target.hpp"

namespace certus::trees {

// The values of one output in a node, in ascending order.
struct SortedValues {
  std::vector<double> values;  // minus the node's median, against cancellation
  std::vector<double> weights;
  double weight = 0.0;
  double sum = 0.0;     // sum_i w_i values_i
  double center = 0.0;  // the node's median
};

// A weighted multiset from which values can be taken away, with its median and its cost.
class ShrinkingMedian {
 public:
  // Holds all values again.
  void reset(const SortedValues& sorted);
  void remove(std::uint32_t rank);
  // The middle of all minimizers of the cost.
  double median() const;
  // sum_i w_i |values_i - median|
  double cost() const;

 private:
  void settle();

  const SortedValues* sorted_ = nullptr;
  std::vector<std::uint32_t> next_, previous_;
  std::uint32_t middle_ = 0;  // the lower median: weight below < half <= weight below + its own
  double below_ = 0.0;        // weight below the middle
  double sum_below_ = 0.0;
  double weight_ = 0.0;
  double sum_ = 0.0;
};

class AbsoluteSums {
 public:
  static constexpr bool totals_are_weights = false;
  struct Shared {
    explicit Shared(const Target& target) : ranks(static_cast<std::size_t>(target.rows * target.outputs)) {}
    std::vector<std::uint32_t> ranks;  // of each row's value in the node that owns the row
  };
  struct Node {
    void prepare(const Target& target, Shared& shared, const Summary& summary, std::span<const Row> rows);
    std::vector<SortedValues> outputs;
    double weight = 0.0;
    double cost = 0.0;  // averaged over the outputs
  };
  static Summary summarize(const Target& target, const Shared&, std::span<const Row> rows);

  AbsoluteSums(const Target& target, const Shared& shared, const Node& node)
      : target_(target), shared_(shared), node_(node) {}

  double total_weight() const { return node_.weight; }
  void open(const ColumnView& view, bool missing_left);
  void add(Row) {}
  void add_zeros() {}
  double gain(Index left) const { return node_.cost - left_cost_[left] - right_cost_[left]; }
  double left_weight(Index left) const { return left_weights_[left]; }
  double left_value(Index left) const { return left_median_[left]; }
  double right_value(Index left) const { return right_median_[left]; }

 private:
  void arrange(const ColumnView& view, bool missing_left);
  void sum_costs(Index output);

  const Target& target_;
  const Shared& shared_;
  const Node& node_;
  ShrinkingMedian median_;
  std::vector<Row> order_;            // the node's rows in the order of the column
  std::vector<std::uint8_t> listed_;  // marks the rows that a sparse column lists
  // indexed by the number of rows on the left
  std::vector<double> left_cost_, right_cost_, left_median_, right_median_, left_weights_;
};

}  // namespace certus::trees
