#include "boosting/leaf_masks.hpp"

#include <algorithm>
#include <bit>

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::boosting::LeafMaskOps, leaf_mask_ops)

namespace certus::boosting {
namespace {

constexpr std::size_t most_leaves = 64;

// Leaf numbers below a node: first .. last-1.
struct Leaves {
  int first, last;
};

std::uint64_t without(Leaves leaves) {
  std::uint64_t mask = ~std::uint64_t{0};
  for (int leaf = leaves.first; leaf < leaves.last; ++leaf) mask &= ~(std::uint64_t{1} << leaf);
  return mask;
}

// Counts the leaves of every node; parents come before their children.
std::vector<int> leaf_counts(std::span<const Node> nodes) {
  std::vector<int> counts(nodes.size(), 1);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].left >= 0) counts[i] = counts[nodes[i].left] + counts[nodes[i].left + 1];
  }
  return counts;
}

}  // namespace

bool LeafMasks::append(std::span<const Node> nodes) {
  trees_.emplace_back();
  const bool categories =
      std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.categories >= 0; });
  if (nodes.size() > 2 * most_leaves - 1 || categories) return false;
  const std::vector<int> counts = leaf_counts(nodes);
  Place& tree = trees_.back();
  tree.first_test = static_cast<std::int32_t>(tests_.size());
  tree.first_leaf = static_cast<std::int32_t>(values_.size());
  values_.resize(values_.size() + static_cast<std::size_t>(counts[0]));
  std::vector<int> first(nodes.size(), 0);  // leaf of each node
  for (const bool missing_left : {true, false}) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = nodes[i];
      if (node.left < 0) {
        values_[tree.first_leaf + first[i]] = node.value;
        continue;
      }
      first[node.left] = first[i];
      first[node.left + 1] = first[i] + counts[node.left];
      if ((node.missing_left != 0) != missing_left) continue;
      tests_.push_back({node.threshold, without({first[i], first[node.left + 1]}), node.column});
      ++tree.all;
    }
    if (missing_left) tree.left = tree.all;
  }
  return true;
}

LeafMasks::Block LeafMasks::make_block(Index first, Index last) const {
  Block block;
  for (Index tree = first; tree < last; ++tree) {
    for (std::int32_t i = 0; i < trees_[tree].all; ++i) {
      const std::int32_t column = tests_[trees_[tree].first_test + i].column;
      if (column >= static_cast<std::int32_t>(block.slots.size())) block.slots.resize(column + 1, -1);
      if (block.slots[column] >= 0) continue;
      block.slots[column] = static_cast<std::int32_t>(block.columns.size());
      block.columns.push_back(column);
    }
  }
  block.values.resize(block.columns.size() * mask_rows);
  return block;
}

template <class T>
void LeafMasks::load(View2D<const T> x, Index row, Index count, Block& block) {
  double* to = block.values.data();
  for (const std::int32_t column : block.columns) {
    const T* from = x.row(row) + column * x.col_stride;
    for (Index i = 0; i < count; ++i) to[i] = static_cast<double>(from[i * x.row_stride]);
    to += mask_rows;
  }
}

void LeafMasks::add(Index tree, const Block& block, Index count, double* out) const {
  const Place& place = trees_[tree];
  std::uint64_t masks[mask_rows];
  leaf_mask_ops().remaining(block.values.data(), block.slots.data(),
                            {tests_.data() + place.first_test, place.left, place.all}, masks);
  const double* values = values_.data() + place.first_leaf;
  for (Index i = 0; i < count; ++i) out[i] += values[std::countr_zero(masks[i])];
}

template void LeafMasks::load<float>(View2D<const float>, Index, Index, Block&);
template void LeafMasks::load<double>(View2D<const double>, Index, Index, Block&);

}  // namespace certus::boosting
