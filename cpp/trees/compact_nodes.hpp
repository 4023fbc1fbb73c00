// Nodes packed for prediction, 16 bytes each; leaves lead to themselves, so that several rows can be sent
// down together without branching.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/view2d.hpp"

namespace certus::trees {

struct CompactNode {
  float threshold;        // the largest float at most the threshold: the same decision for float values
  std::uint32_t feature;  // the highest bit tells where missing values go
  std::int32_t child[2];  // right, left
};

inline constexpr std::uint32_t missing_bit = 0x80000000u;
inline constexpr Index lanes = 16;  // rows that walk down together, hiding each other's memory latency

// Packs a tree whose arrays number its nodes from 0; in `nodes` they are numbered from `offset`, and `nodes`
// is where the first goes.
void pack_nodes(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
                std::span<const std::int64_t> feature, std::span<const double> threshold,
                std::span<const std::uint8_t> missing_left, std::int32_t offset, CompactNode* nodes);

inline std::int32_t step(const CompactNode& node, float value) {
  // without branches: which way a row goes cannot be guessed
  const unsigned missing = static_cast<unsigned>(value != value) & (node.feature >> 31);
  return node.child[static_cast<unsigned>(value <= node.threshold) | missing];
}

template <class Count>
void walk_lanes(const CompactNode* nodes, std::int32_t root, const float* const* start, Index stride,
                Count count, std::int32_t* at) {
  for (Index lane = 0; lane < count; ++lane) at[lane] = root;
  for (unsigned moving = 1; moving != 0;) {
    moving = 0;
    for (Index lane = 0; lane < count; ++lane) {
      const CompactNode& node = nodes[at[lane]];
      const std::int32_t next = step(node, start[lane][(node.feature & ~missing_bit) * stride]);
      moving |= static_cast<unsigned>(next ^ at[lane]);
      at[lane] = next;
    }
  }
}

// at[i] = the leaf below `root` of the row that begins at start[i], for up to `lanes` rows.
inline void walk_group(const CompactNode* nodes, std::int32_t root, const float* const* start, Index stride,
                       Index count, std::int32_t* at) {
  if (count == lanes) {  // a constant, so that the loops unroll
    walk_lanes(nodes, root, start, stride, std::integral_constant<Index, lanes>(), at);
  } else {
    walk_lanes(nodes, root, start, stride, count, at);
  }
}

}  // namespace certus::trees
