#include "boosting/leaf_masks.hpp"

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

void LeafMasks::append(std::span<const Node> nodes, std::span<const BinSet> sets) {
  trees_.emplace_back();
  if (nodes.size() > 2 * most_leaves - 1) return;
  const std::vector<int> counts = leaf_counts(nodes);
  Place& tree = trees_.back();
  tree.first_test = static_cast<std::int32_t>(tests_.size());
  tree.first_category_test = static_cast<std::int32_t>(category_tests_.size());
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
      const std::uint64_t keep = without({first[i], first[node.left + 1]});
      if (node.categories >= 0) {
        BinSet left = sets[static_cast<std::size_t>(node.categories)];
        if (missing_left) insert(left, missing_bin);
        category_tests_.push_back({left, keep, node.column});
        ++tree.category_tests;
        continue;
      }
      tests_.push_back({node.threshold, keep, node.column});
      ++tree.all;
    }
    if (missing_left) tree.left = tree.all;
  }
}

void LeafMasks::Chosen::add(std::int32_t column) {
  if (column >= static_cast<std::int32_t>(slots.size())) slots.resize(column + 1, -1);
  if (slots[column] >= 0) return;
  slots[column] = static_cast<std::int32_t>(columns.size());
  columns.push_back(column);
}

LeafMasks::Block LeafMasks::make_block(Index first, Index last) const {
  Block block;
  for (Index tree = first; tree < last; ++tree) {
    const Place& place = trees_[tree];
    for (std::int32_t i = 0; i < place.all; ++i) block.numbers.add(tests_[place.first_test + i].column);
    for (std::int32_t i = 0; i < place.category_tests; ++i) {
      block.categories.add(category_tests_[place.first_category_test + i].column);
    }
  }
  block.values.resize(block.numbers.columns.size() * mask_rows);
  block.bins.resize(block.categories.columns.size() * mask_rows);
  return block;
}

template <class T>
void LeafMasks::load(View2D<const T> x, Index row, Index count, Block& block) {
  double* to = block.values.data();
  for (const std::int32_t column : block.numbers.columns) {
    const T* from = x.row(row) + column * x.col_stride;
    for (Index i = 0; i < count; ++i) to[i] = static_cast<double>(from[i * x.row_stride]);
    to += mask_rows;
  }
  Bin* bins = block.bins.data();
  for (const std::int32_t column : block.categories.columns) {
    const T* from = x.row(row) + column * x.col_stride;
    for (Index i = 0; i < count; ++i) {
      const T value = from[i * x.row_stride];
      const bool known = value >= T(0) && value < T(missing_bin);
      bins[i] = static_cast<Bin>(known ? static_cast<int>(value) : missing_bin);
    }
    bins += mask_rows;
  }
}

void LeafMasks::strike(const CategoryTest& test, const Block& block, std::uint64_t* masks) {
  const Bin* bins = block.bins.data() + block.categories.slots[test.column] * mask_rows;
  for (std::ptrdiff_t row = 0; row < mask_rows; ++row) {
    masks[row] &= test.keep | (0 - std::uint64_t{contains(test.left, bins[row])});
  }
}

void LeafMasks::add(Index tree, const Block& block, Index count, double* out) const {
  const Place& place = trees_[tree];
  std::uint64_t masks[mask_rows];
  leaf_mask_ops().remaining(block.values.data(), block.numbers.slots.data(),
                            {tests_.data() + place.first_test, place.left, place.all}, masks);
  for (std::int32_t i = 0; i < place.category_tests; ++i) {
    strike(category_tests_[place.first_category_test + i], block, masks);
  }
  const double* values = values_.data() + place.first_leaf;
  for (Index i = 0; i < count; ++i) out[i] += values[std::countr_zero(masks[i])];
}

template void LeafMasks::load<float>(View2D<const float>, Index, Index, Block&);
template void LeafMasks::load<double>(View2D<const double>, Index, Index, Block&);

}  // namespace certus::boosting
