// Splits of a node by a categorical column: one set of categories goes left, the others right.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rng.hpp"
#include "trees/category_order.hpp"
#include "trees/search.hpp"

namespace certus::trees {

struct CategorySplit {
  Candidate candidate;                     // its threshold means nothing
  std::vector<std::uint32_t> left, right;  // codes of the node's categories
};

class CategorySearch {
 public:
  // `view` is a column of the prepared node in the order of codes, not constant; the scratch may be the one
  // that holds it.
  CategorySearch(const ColumnView& view, const Target& target, CriterionKind criterion, SplitSearch& search,
                 const SplitRules& rules, ColumnScratch& scratch, int worker);

  // The best cut of the order of the categories. Where that need not be the best division, all divisions of
  // up to `most_enumerated` categories are tried instead.
  CategorySplit best(StopToken& stop);
  // A random set of the categories, and a random side for the missing values.
  CategorySplit random(Rng& rng);

  static constexpr std::size_t most_enumerated = 6;

 private:
  CategorySplit best_cut();
  CategorySplit best_of_all(StopToken& stop);
  // Moves the rows of these categories to the front (bit g: group g), the missing ones stay at the end.
  Index arrange(const std::vector<bool>& left);
  CategorySplit sides(const Candidate& candidate, const std::vector<bool>& left) const;

  ColumnView view_;
  const Target& target_;
  CriterionKind criterion_;
  SplitSearch& search_;
  const SplitRules rules_;
  std::vector<Entry>& entries_;
  int worker_;
  std::vector<CategoryGroup> groups_;
};

}  // namespace certus::trees
