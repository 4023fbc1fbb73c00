// Finding the leaf of each row. The tree is packed into 16 bytes per node; leaves lead to themselves, so that
// several rows can be sent down together without branching.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::trees {

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

  std::int32_t step(const Node& node, float value) const {
    const bool left = value <= node.threshold || ((node.feature & missing_bit) != 0 && value != value);
    return node.child[left];
  }

  std::vector<Node> nodes_;
  Index depth_ = 0;
};

}  // namespace certus::trees
