// Copying the sets of categories of grown trees into arrays; for single trees and for forests.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trees/nodes.hpp"

namespace certus::bindings {

struct CategoryPlaces {
  std::int64_t* numbers;  // of the nodes
  std::int64_t* counts;   // of their codes
  std::uint32_t* codes;
};

// Writes the sets of one tree whose nodes are numbered from `offset`; returns where the next tree's go.
inline CategoryPlaces copy_category_sets(const trees::TreeNodes& nodes, std::int64_t offset,
                                         CategoryPlaces places) {
  for (const auto& [node, set] : nodes.categories) {
    *places.numbers++ = offset + node;
    *places.counts++ = static_cast<std::int64_t>(set.size());
    places.codes = std::copy(set.begin(), set.end(), places.codes);
  }
  return places;
}

}  // namespace certus::bindings
