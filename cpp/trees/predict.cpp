#include "trees/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/parallel.hpp"

namespace certus::trees {
namespace {

constexpr Index rows_per_block = 4096;

float at_most(double threshold) {
  const auto nearest = static_cast<float>(threshold);
  return static_cast<double>(nearest) > threshold
             ? std::nextafter(nearest, -std::numeric_limits<float>::infinity())
             : nearest;
}

}  // namespace

void write_paths(std::span<const std::int64_t> parents, std::span<const std::int64_t> leaves,
                 std::span<const std::int64_t> indptr, std::span<std::int64_t> nodes, int threads,
                 StopToken& stop) {
  parallel_ranges(
      static_cast<Index>(leaves.size()), rows_per_block, threads, stop, [&](Index first, Index last, int) {
        for (Index row = first; row < last; ++row) {
          std::int64_t node = leaves[row];  // from the leaf up, for every node has one parent
          for (std::int64_t place = indptr[row + 1]; place-- > indptr[row]; node = parents[node]) {
            nodes[place] = node;
          }
        }
      });
}

CompactTree::CompactTree(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
                         std::span<const std::int64_t> feature, std::span<const double> threshold,
                         std::span<const std::uint8_t> missing_left)
    : nodes_(left.size()) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto self = static_cast<std::int32_t>(i);
    if (left[i] < 0) {
      nodes_[i] = {0.0f, 0, {self, self}};
      continue;
    }
    nodes_[i] = {at_most(threshold[i]),
                 static_cast<std::uint32_t>(feature[i]) | (missing_left[i] ? missing_bit : 0),
                 {static_cast<std::int32_t>(right[i]), static_cast<std::int32_t>(left[i])}};
  }
}

// Sends up to `lanes` rows down together; Count is an integer or, so that the loops unroll, a constant.
template <class Count>
void CompactTree::apply_group(View2D<const float> x, Index row, Count count, std::int64_t* leaves) const {
  const Node* nodes = nodes_.data();
  const Index stride = x.col_stride;
  std::int32_t at[lanes] = {};
  const float* start[lanes];
  for (Index lane = 0; lane < count; ++lane) start[lane] = x.row(row + lane);
  for (unsigned moving = 1; moving != 0;) {
    moving = 0;
    for (Index lane = 0; lane < count; ++lane) {
      const Node& node = nodes[at[lane]];
      const std::int32_t next = step(node, start[lane][(node.feature & ~missing_bit) * stride]);
      moving |= static_cast<unsigned>(next ^ at[lane]);
      at[lane] = next;
    }
  }
  for (Index lane = 0; lane < count; ++lane) leaves[row + lane] = at[lane];
}

void CompactTree::apply(View2D<const float> x, std::span<std::int64_t> leaves, int threads,
                        StopToken& stop) const {
  parallel_ranges(x.rows, rows_per_block, threads, stop, [&](Index first, Index last, int) {
    Index row = first;
    for (; row + lanes <= last; row += lanes) {
      apply_group(x, row, std::integral_constant<Index, lanes>(), leaves.data());
    }
    if (row < last) apply_group(x, row, last - row, leaves.data());
  });
}

void CompactTree::apply_sparse(std::span<const float> data, std::span<const std::int32_t> indices,
                               std::span<const std::int32_t> indptr, Index features,
                               std::span<std::int64_t> leaves, int threads, StopToken& stop) const {
  parallel_ranges(static_cast<Index>(leaves.size()), rows_per_block, threads, stop,
                  [&](Index first, Index last, int) {
                    std::vector<float> row_values(static_cast<std::size_t>(features), 0.0f);
                    for (Index row = first; row < last; ++row) {
                      for (std::int32_t i = indptr[row]; i < indptr[row + 1]; ++i)
                        row_values[indices[i]] = data[i];
                      std::int32_t at = 0, next = 0;
                      do {
                        at = next;
                        next = step(nodes_[at], row_values[nodes_[at].feature & ~missing_bit]);
                      } while (next != at);
                      leaves[row] = at;
                      for (std::int32_t i = indptr[row]; i < indptr[row + 1]; ++i)
                        row_values[indices[i]] = 0.0f;
                    }
                  });
}

}  // namespace certus::trees
