// Finding the leaf of each row. The tree is packed into 16 bytes per node; leaves lead to themselves, so that
// several rows can be sent down together without branching.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::trees {

// The nodes that rows pass on their way to their leaves, in compressed-row form: row i has the places
// indptr[i] .. indptr[i + 1] of `nodes`, one per level. A node's parent has a smaller number.
void write_paths(std::span<const std::int64_t> parents, std::span<const std::int64_t> leaves,
                 std::span<const std::int64_t> indptr, std::span<std::int64_t> nodes, int threads,
                 StopToken& stop);

class CompactTree {
 public:
  CompactTree(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
              std::span<const std::int64_t> feature, std::span<const double> threshold,
              std::span<const std::uint8_t> missing_left);

  // leaves[i] = the leaf of row i.
  void apply(View2D<const float> x, std::span<std::int64_t> leaves, int threads, StopToken& stop) const;
  // The same for a table of `features` columns in compressed-row form; what is not listed is zero.
  void apply_sparse(std::span<const float> data, std::span<const std::int32_t> indices,
                    std::span<const std::int32_t> indptr, Index features, std::span<std::int64_t> leaves,
                    int threads, StopToken& stop) const;

 private:
  struct Node {
    float threshold;        // the largest float at most the threshold: the same decision for float values
    std::uint32_t feature;  // the highest bit tells where missing values go
    std::int32_t child[2];  // right, left
  };
  static constexpr std::uint32_t missing_bit = 0x80000000u;
  static constexpr Index lanes = 16;  // rows that walk down together, hiding each other's memory latency

  std::int32_t step(const Node& node, float value) const {
    // without branches: which way a row goes cannot be guessed
    const unsigned missing = static_cast<unsigned>(value != value) & (node.feature >> 31);
    return node.child[static_cast<unsigned>(value <= node.threshold) | missing];
  }

  template <class Count>
  void apply_group(View2D<const float> x, Index row, Count count, std::int64_t* leaves) const;

  std::vector<Node> nodes_;
};

}  // namespace certus::trees
