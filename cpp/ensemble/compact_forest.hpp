// A forest packed for prediction: the nodes of all trees in one array, rows in blocks over the trees so that
// a tree stays in the cache for a whole block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "trees/compact_nodes.hpp"

namespace certus::ensemble {

// Out-of-bag predictions: every row is judged only by the trees that have not seen it. Bits of tree t start
// at word t * words; bit i is row i.
struct OutOfBag {
  std::span<const std::uint64_t> in_bag;
  Index words = 0;
  std::span<double> sums;           // rows x value_size, of the values of the trees without the row
  std::span<std::int64_t> trees;    // per row: their number
  const std::uint32_t* labels;      // of one output, or null
  std::span<std::uint64_t> errors;  // bits: the tree has not seen the row and votes for another class
};

class CompactForest {
 public:
  // Node arrays of all trees one after the other; offsets[t] is where tree t begins, each numbered from 0.
  // The nodes `category_nodes`, numbered over all trees, split by categories, one set for each.
  CompactForest(std::span<const std::int64_t> offsets, std::span<const std::int32_t> left,
                std::span<const std::int32_t> right, std::span<const std::int32_t> feature,
                std::span<const double> threshold, std::span<const std::uint8_t> missing_left,
                std::span<const std::int64_t> category_nodes = {}, trees::CategorySets sets = {});

  // sums[i] = sum over the trees, in their order, of the values of row i's leaves; `values` has `size`
  // numbers per node.
  void sum(View2D<const float> x, const double* values, Index size, std::span<double> sums, int threads,
           StopToken& stop) const;
  // leaves[i, t] = row i's leaf in tree t.
  void apply(View2D<const float> x, std::span<std::int64_t> leaves, int threads, StopToken& stop) const;
  // sums, tree counts and error bits of `out`, all zero before.
  void judge_out_of_bag(View2D<const float> x, const double* values, Index size, const OutOfBag& out,
                        int threads, StopToken& stop) const;

 private:
  Index trees() const { return static_cast<Index>(offsets_.size()) - 1; }

  std::vector<std::int64_t> offsets_;
  std::vector<trees::CompactNode> nodes_;
  trees::CategorySets sets_;
};

// counts[a, b] = how many bits the a-th row of `first` and the b-th of `second` have in common; both have the
// same number of words.
void count_common_bits(View2D<const std::uint64_t> first, View2D<const std::uint64_t> second,
                       std::span<std::int64_t> counts, int threads, StopToken& stop);

}  // namespace certus::ensemble
