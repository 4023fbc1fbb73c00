// A grown tree as parallel arrays, one element per node, in scikit-learn's layout: node 0 is the root, a
// parent comes before its children, leaves have children -1 and feature -2. A node that splits by categories
// has the threshold NaN and a list of those that go to the other side than missing values.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/view2d.hpp"

namespace certus::trees {

inline constexpr std::int32_t no_child = -1;
inline constexpr std::int32_t undefined = -2;

struct TreeNodes {
  Index value_size = 1;  // numbers per node in `value`
  Index max_depth = 0;
  std::vector<std::int32_t> left, right, feature;
  std::vector<std::uint32_t> rows;
  std::vector<double> threshold, impurity, weight, value;
  std::vector<std::uint8_t> missing_left;
  std::map<Index, std::vector<std::uint32_t>> categories;  // ascending, of the nodes that have them

  explicit TreeNodes(Index value_size_ = 1) : value_size(value_size_) {}

  Index count() const { return static_cast<Index>(left.size()); }

  // Adds a leaf; `value` is left for the caller to write.
  Index add_leaf(double impurity_, std::uint32_t rows_, double weight_) {
    left.push_back(no_child);
    right.push_back(no_child);
    feature.push_back(undefined);
    threshold.push_back(static_cast<double>(undefined));
    missing_left.push_back(0);
    impurity.push_back(impurity_);
    rows.push_back(rows_);
    weight.push_back(weight_);
    value.resize(value.size() + static_cast<std::size_t>(value_size));
    return count() - 1;
  }

  // Makes room for so many nodes, so that arrays are as long as they must be.
  void reserve(Index nodes) {
    const auto size = static_cast<std::size_t>(nodes);
    for (auto* each : {&left, &right, &feature}) each->reserve(size);
    for (auto* each : {&threshold, &impurity, &weight}) each->reserve(size);
    rows.reserve(size);
    missing_left.reserve(size);
    value.reserve(size * static_cast<std::size_t>(value_size));
  }

  // Copies one node of another tree to the end, its children as they are.
  Index add_copy(const TreeNodes& from, Index node) {
    const Index added = add_leaf(from.impurity[node], from.rows[node], from.weight[node]);
    left[added] = from.left[node];
    right[added] = from.right[node];
    feature[added] = from.feature[node];
    threshold[added] = from.threshold[node];
    missing_left[added] = from.missing_left[node];
    if (const auto found = from.categories.find(node); found != from.categories.end()) {
      categories.emplace_hint(categories.end(), added, found->second);
    }
    for (Index i = 0; i < value_size; ++i) value_of(added)[i] = from.value[node * value_size + i];
    return added;
  }

  Index category_codes() const {
    Index codes = 0;
    for (const auto& [node, set] : categories) codes += static_cast<Index>(set.size());
    return codes;
  }

  double* value_of(Index node) { return value.data() + node * value_size; }
};

}  // namespace certus::trees
