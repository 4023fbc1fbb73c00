// A Bayesian network as flat arrays, read only. The table of a node has an axis for every parent, in their
// order, and its own axis last, in C order.
#pragma once

#include <cstdint>
#include <span>

#include "core/view2d.hpp"

namespace certus::graphical {

struct NetworkModel {
  std::span<const std::int64_t> cards;          // states of every node
  std::span<const std::int64_t> parent_begins;  // nodes + 1 places in `parents`
  std::span<const std::int64_t> parents;
  std::span<const std::int64_t> table_begins;  // nodes + 1 places in `values`
  std::span<const double> values;

  Index nodes() const { return static_cast<Index>(cards.size()); }
  std::span<const std::int64_t> parents_of(Index node) const {
    const auto first = static_cast<std::size_t>(parent_begins[static_cast<std::size_t>(node)]);
    const auto last = static_cast<std::size_t>(parent_begins[static_cast<std::size_t>(node) + 1]);
    return parents.subspan(first, last - first);
  }
  std::int64_t card(Index node) const { return cards[static_cast<std::size_t>(node)]; }
  const double* table(Index node) const {
    return values.data() + table_begins[static_cast<std::size_t>(node)];
  }
};

}  // namespace certus::graphical
