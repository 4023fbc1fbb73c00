#include "trees/predict.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"

namespace certus::trees {
namespace {

constexpr Index rows_per_block = 4096;

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
                         std::span<const std::uint8_t> missing_left,
                         std::span<const std::int64_t> category_nodes, CategorySets sets)
    : nodes_(left.size()), sets_(std::move(sets)) {
  pack_nodes(left, right, feature, threshold, missing_left, 0, nodes_.data());
  set_categories(category_nodes, nodes_.data());
}

void CompactTree::apply(View2D<const float> x, std::span<std::int64_t> leaves, int threads,
                        StopToken& stop) const {
  parallel_ranges(x.rows, rows_per_block, threads, stop, [&](Index first, Index last, int) {
    const float* start[lanes];
    std::int32_t at[lanes];
    for (Index row = first; row < last; row += lanes) {
      const Index count = std::min(lanes, last - row);
      for (Index lane = 0; lane < count; ++lane) start[lane] = x.row(row + lane);
      walk_group(nodes_.data(), sets_, 0, start, x.col_stride, count, at);
      for (Index lane = 0; lane < count; ++lane) leaves[row + lane] = at[lane];
    }
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
                      const float* start = row_values.data();
                      std::int32_t at = 0;
                      walk_group(nodes_.data(), sets_, 0, &start, 1, 1, &at);
                      leaves[row] = at;
                      for (std::int32_t i = indptr[row]; i < indptr[row + 1]; ++i)
                        row_values[indices[i]] = 0.0f;
                    }
                  });
}

}  // namespace certus::trees
