// Categories of one column in one node, in an order along which they are divided into two sets.
//
// With two classes, or one number under squared error, the best of all divisions into two sets is a cut of
// the order of the categories' means (Fisher 1958; Breiman, Friedman, Olshen, Stone 1984, theorem 4.5). With
// more classes or outputs the order is that of the projections on the leading principal direction of the
// categories' means (Coppersmith, Hong, Hosking 1999), and under absolute error that of the medians: good,
// not always the best.
#pragma once

#include <cstdint>
#include <vector>

#include "trees/columns.hpp"
#include "trees/search.hpp"
#include "trees/target.hpp"

namespace certus::trees {

// The rows of one category: entries begin .. begin + count of a view in the order of codes.
struct CategoryGroup {
  std::uint32_t code = 0;
  Index begin = 0;
  Index count = 0;
  double key = 0.0;  // its place in the order
};

// The categories that a view in the order of codes lists.
std::vector<CategoryGroup> groups_of(const ColumnView& view);

// Whether the best division is always a cut of the order (as long as the sides may have any size).
bool order_is_exact(const Target& target, CriterionKind criterion);

// Puts the groups into that order; equal ones stay in the order of their codes.
void put_in_order(const ColumnView& view, const Target& target, CriterionKind criterion,
                  std::vector<CategoryGroup>& groups);

}  // namespace certus::trees
