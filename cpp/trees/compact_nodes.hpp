// Nodes packed for prediction, 16 bytes each; leaves lead to themselves, so that several rows can be sent
// down together without branching.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/view2d.hpp"

namespace certus::trees {

struct CompactNode {
  float threshold;        // the largest float at most the threshold: the same decision for float values;
                          // for categories the bits of the number of their set
  std::uint32_t feature;  // the highest bit tells where missing values go, the next whether it is categorical
  std::int32_t child[2];  // right, left
};

inline constexpr std::uint32_t missing_bit = 0x80000000u, category_bit = 0x40000000u;
inline constexpr std::uint32_t feature_mask = ~(missing_bit | category_bit);
inline constexpr Index lanes = 16;  // rows that walk down together, hiding each other's memory latency

// Sets of categories as ascending lists of their codes: there may be millions of categories, of which each
// node sees few.
class CategorySets {
 public:
  CategorySets() = default;
  // Set i has the codes starts[i] .. starts[i + 1].
  CategorySets(std::span<const std::int64_t> starts, std::span<const std::uint32_t> codes)
      : starts_(starts.begin(), starts.end()), codes_(codes.begin(), codes.end()) {}

  bool empty() const { return codes_.empty(); }
  bool contains(std::uint32_t set, float value) const {
    if (!(value >= 0.0f && value < 4294967040.0f)) return false;
    const auto code = static_cast<std::uint32_t>(value);
    const auto first = codes_.begin() + starts_[set], last = codes_.begin() + starts_[set + 1];
    const auto found = std::lower_bound(first, last, code);
    return found != last && *found == code && static_cast<float>(code) == value;
  }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::uint32_t> codes_;
};

// Packs a tree whose arrays number its nodes from 0; in `nodes` they are numbered from `offset`, and `nodes`
// is where the first goes.
void pack_nodes(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
                std::span<const std::int64_t> feature, std::span<const double> threshold,
                std::span<const std::uint8_t> missing_left, std::int32_t offset, CompactNode* nodes);
void pack_nodes(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                std::span<const std::int32_t> feature, std::span<const double> threshold,
                std::span<const std::uint8_t> missing_left, std::int32_t offset, CompactNode* nodes);

// Tells the packed nodes with these numbers that they split by the sets 0, 1, 2 ...
void set_categories(std::span<const std::int64_t> numbers, CompactNode* nodes);

template <bool WithCategories>
std::int32_t step(const CompactNode& node, float value, const CategorySets& sets) {
  if constexpr (WithCategories) {
    if (node.feature & category_bit) {  // those in the set go to the other side than missing values
      const bool listed = sets.contains(std::bit_cast<std::uint32_t>(node.threshold), value);
      return node.child[(node.feature >> 31) ^ static_cast<unsigned>(listed)];
    }
  }
  // without branches: which way a row goes cannot be guessed
  const unsigned missing = static_cast<unsigned>(value != value) & (node.feature >> 31);
  return node.child[static_cast<unsigned>(value <= node.threshold) | missing];
}

template <bool WithCategories, class Count>
void walk_lanes(const CompactNode* nodes, const CategorySets& sets, std::int32_t root,
                const float* const* start, Index stride, Count count, std::int32_t* at) {
  for (Index lane = 0; lane < count; ++lane) at[lane] = root;
  for (unsigned moving = 1; moving != 0;) {
    moving = 0;
    for (Index lane = 0; lane < count; ++lane) {
      const CompactNode& node = nodes[at[lane]];
      const float value = start[lane][(node.feature & feature_mask) * stride];
      const std::int32_t next = step<WithCategories>(node, value, sets);
      moving |= static_cast<unsigned>(next ^ at[lane]);
      at[lane] = next;
    }
  }
}

// at[i] = the leaf below `root` of the row that begins at start[i], for up to `lanes` rows.
inline void walk_group(const CompactNode* nodes, const CategorySets& sets, std::int32_t root,
                       const float* const* start, Index stride, Index count, std::int32_t* at) {
  if (!sets.empty()) {
    walk_lanes<true>(nodes, sets, root, start, stride, count, at);
  } else if (count == lanes) {  // a constant, so that the loops unroll
    walk_lanes<false>(nodes, sets, root, start, stride, std::integral_constant<Index, lanes>(), at);
  } else {
    walk_lanes<false>(nodes, sets, root, start, stride, count, at);
  }
}

}  // namespace certus::trees
