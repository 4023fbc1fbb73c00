// Splitting one node: choose the columns to look at, search them, divide the node's rows, and later its
// columns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/rng.hpp"
#include "core/stop.hpp"
#include "trees/category_search.hpp"
#include "trees/column_draws.hpp"
#include "trees/columns.hpp"
#include "trees/search.hpp"
#include "trees/target.hpp"

namespace certus::trees {

struct GrowOptions {
  CriterionKind criterion = CriterionKind::gini;
  bool random_thresholds = false;
  Index max_depth = 0;
  Index min_samples_split = 2;
  Index min_samples_leaf = 1;
  double min_weight_leaf = 0.0;
  double min_impurity_decrease = 0.0;
  double negligible_impurity = 0.0;  // a node with at most this counts as pure
  Index max_features = 1;
  Index max_leaf_nodes = -1;  // -1: no limit, grown depth first; else best first
  std::uint64_t seed = 0;
  bool random_ties = false;  // of equally good columns, the first after a random place wins, else the first
  std::span<const std::int8_t> monotone;  // -1, 0 or 1 per column, or empty
  // 1 for columns whose values are the codes 0, 1, 2 ... of categories; or empty
  std::span<const std::uint8_t> categorical;
};

// What all nodes of one tree share. Nodes own disjoint parts of `rows` and of the columns.
struct TreeData {
  std::unique_ptr<Columns> columns;
  std::vector<Row> rows;
  Target target;
  GrowOptions options;
  Index features = 0;
  double total_weight = 0.0;
  double pure_below = 0.0;  // impurities up to this count as zero
  double rounding = 0.0;    // improvements are known up to this
};

// A node that is not yet split.
struct OpenNode {
  Index first = 0;  // its part of TreeData::rows
  Index count = 0;
  std::vector<ColumnPart> columns;  // those that are not known to be constant in the node
  Summary summary;
  Index depth = 0;
  double lower = -infinity;  // bounds on the value, from monotone columns above
  double upper = infinity;
  std::uint64_t seed = 0;
};

struct Split {
  std::uint32_t feature = 0;
  double threshold = 0.0;  // NaN for categories
  bool missing_left = false;
  std::vector<std::uint32_t> categories;  // those that go to the other side than missing values, ascending
  double improvement = 0.0;
  OpenNode left, right;  // their columns come with `divide_columns`
};

class NodeSplitter {
 public:
  NodeSplitter(TreeData& data, std::unique_ptr<SplitSearch> search, int threads);

  OpenNode root() const;
  // Whether the node must stay a leaf for reasons known before any search.
  bool is_final(const OpenNode& node) const;
  // The best allowed split; the node's rows are then divided. Nothing if there is none.
  std::optional<Split> find(OpenNode& node, StopToken& stop);
  // Gives the columns of a node to those of its children that can be split further.
  void divide_columns(OpenNode& node, Split& split, StopToken& stop);
  // What the tree predicts in the node.
  void write_value(const OpenNode& node, double* value) const;
  // A splitter for other nodes of the same tree, to be used by one thread at the same time as this one.
  std::unique_ptr<NodeSplitter> another() const;

 private:
  // What the search of one column found.
  struct Found {
    std::size_t column = 0;
    bool constant = false;
    Candidate candidate;
    std::uint32_t missing = 0;
    std::unique_ptr<CategorySplit> categories;  // null for numbers
  };

  std::span<Row> rows(const OpenNode& node) const {
    return {data_.rows.data() + node.first, static_cast<std::size_t>(node.count)};
  }
  bool categorical(const ColumnPart& part) const {
    return !data_.options.categorical.empty() && data_.options.categorical[part.feature] != 0;
  }
  double tie(const OpenNode& node) const {
    return gain_tolerance * node.summary.weight * node.summary.impurity;
  }
  void drop_known_constants(OpenNode& node) const;
  SplitRules rules_for(const OpenNode& node, const ColumnPart& part) const;
  Found search_column(const OpenNode& node, std::size_t column, int worker, StopToken& stop);
  Found search_random(const OpenNode& node, std::size_t column, int worker, StopToken& stop);
  Found search_categories(const OpenNode& node, std::size_t column, int worker, StopToken& stop);
  void search_columns(const OpenNode& node, std::size_t count, StopToken& stop);
  void search_drawn(const OpenNode& node, StopToken& stop);
  std::optional<Found> search_all(OpenNode& node, StopToken& stop);
  bool refine(const OpenNode& node, Found& found, StopToken& stop);
  Split described(const OpenNode& node, const Found& found) const;
  Index divide_rows(const OpenNode& node, const Found& found, const Split& split);
  void describe_children(const OpenNode& node, Split& split, Index left, StopToken& stop) const;
  void pass_bounds(const OpenNode& node, Split& split) const;
  template <class Body>
  void for_columns(const OpenNode& node, std::size_t columns, StopToken& stop, Body&& body);

  TreeData& data_;
  std::unique_ptr<SplitSearch> search_;
  int threads_;
  RowBits goes_left_;
  std::vector<ColumnScratch> scratch_;  // per worker
  ColumnDraws::Memory draws_;
  std::vector<std::size_t> searched_;  // columns
  std::vector<Found> found_;           // in them
  std::vector<Row> right_rows_;
  std::vector<std::uint8_t> left_by_code_;
};

}  // namespace certus::trees
