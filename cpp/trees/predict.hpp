// Finding the leaf of each row of a table in one tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "trees/compact_nodes.hpp"

namespace certus::trees {

// The nodes that rows pass on their way to their leaves, in compressed-row form: row i has the places
// indptr[i] .. indptr[i + 1] of `nodes`, one per level. A node's parent has a smaller number.
void write_paths(std::span<const std::int64_t> parents, std::span<const std::int64_t> leaves,
                 std::span<const std::int64_t> indptr, std::span<std::int64_t> nodes, int threads,
                 StopToken& stop);

class CompactTree {
 public:
  // The nodes `category_nodes` split by categories, one set for each.
  CompactTree(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
              std::span<const std::int64_t> feature, std::span<const double> threshold,
              std::span<const std::uint8_t> missing_left, std::span<const std::int64_t> category_nodes = {},
              CategorySets sets = {});

  // leaves[i] = the leaf of row i.
  void apply(View2D<const float> x, std::span<std::int64_t> leaves, int threads, StopToken& stop) const;
  // The same for a table of `features` columns in compressed-row form; what is not listed is zero.
  void apply_sparse(std::span<const float> data, std::span<const std::int32_t> indices,
                    std::span<const std::int32_t> indptr, Index features, std::span<std::int64_t> leaves,
                    int threads, StopToken& stop) const;

 private:
  std::vector<CompactNode> nodes_;
  CategorySets sets_;
};

}  // namespace certus::trees
