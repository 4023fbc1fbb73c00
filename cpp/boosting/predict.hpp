// Sums of trees for rows of numbers. Blocks of rows use leaf_masks.hpp. Single rows and large trees are
// walked: a node takes 16 bytes and leads to two children that lie side by side; leaves lead
// to themselves, so that many rows walk down together without branching.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boosting/leaf_masks.hpp"
#include "boosting/tree.hpp"
#include "core/stop.hpp"

namespace certus::boosting {

class PackedTrees {
 public:
  // Trees one after the other: tree t has the nodes starts[t] .. starts[t + 1]; children and sets of
  // categories are numbered within the tree, the sets of tree t begin at set_starts[t].
  PackedTrees(std::span<const Node> nodes, std::span<const std::int64_t> starts, std::span<const BinSet> sets,
              std::span<const std::int64_t> set_starts);

  // Adds trees first .. last-1; tree t belongs to output t % raw.rows. raw is outputs x rows.
  template <class T>
  void add(View2D<const T> x, Index first, Index last, View2D<double> raw, int threads,
           StopToken& stop) const;

 private:
  struct Packed {
    double threshold;      // of numbers; leaves: infinity
    std::uint32_t column;  // and flags
    std::int32_t first;    // left child; leaves: the node itself
  };
  static constexpr std::uint32_t missing_right = 0x80000000u, by_category = 0x40000000u;
  static constexpr std::uint32_t column_mask = ~(missing_right | by_category);
  static constexpr Index lanes = 16;

  template <class T, bool with_categories>
  std::int32_t step(std::int32_t at, const T* row, Index stride) const;
  template <class T, bool with_categories>
  void walk(View2D<const T> x, Index row, Index count, Index tree, double* out) const;
  template <class T>
  void add_block(View2D<const T> x, Index row, Index count, Index first, Index last, LeafMasks::Block& block,
                 View2D<double> raw) const;

  std::vector<Packed> nodes_;
  std::vector<double> values_;
  std::vector<std::int32_t> sets_of_;  // per node
  std::vector<BinSet> sets_;
  std::vector<std::int32_t> roots_;
  LeafMasks masks_;
};

}  // namespace certus::boosting
