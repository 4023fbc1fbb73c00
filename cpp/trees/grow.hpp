// Growing a classification or regression tree greedily (Breiman, Friedman, Olshen, Stone 1984): split the
// rows of a node where the impurity falls most, and go on with both sides. Exact: every border between two
// different values of every column is tried (of bins: between their values). O(columns x rows) per level
// after one sort of each column.
//
// Depth first, large nodes are searched by all threads, column by column; nodes below a fixed size become
// tasks for one thread each. Neither depends on the number of threads, so the trees have equal bits.
#pragma once

#include "core/stop.hpp"
#include "trees/binned_columns.hpp"
#include "trees/nodes.hpp"
#include "trees/splitter.hpp"

namespace certus::trees {

// A tree on the given rows (ascending) of a dense table.
TreeNodes grow_dense(View2D<const float> x, const Target& target, std::span<const Row> rows,
                     const GrowOptions& options, int threads, StopToken& stop);

// What the trees of a forest share of a dense table: its columns, sorted once if that is worth it.
class SharedColumns {
 public:
  SharedColumns(View2D<const float> x, const GrowOptions& options, int threads, StopToken& stop);
  // The columns of one tree. `rows` is ascending.
  std::unique_ptr<Columns> restricted(std::span<const Row> rows, int threads, StopToken& stop) const;
  Index rows() const { return rows_; }
  Index features() const { return features_; }

 private:
  Index rows_;
  Index features_;
  std::unique_ptr<ListedColumns> listed_;  // either these, or
  std::unique_ptr<GatheredColumns> gathered_;
};

// A tree of a forest.
TreeNodes grow_shared(const SharedColumns& columns, const Target& target, std::span<const Row> rows,
                      const GrowOptions& options, int threads, StopToken& stop);

// The same for a table with bins.
TreeNodes grow_binned(const BinnedView& table, const Target& target, std::span<const Row> rows,
                      const GrowOptions& options, int threads, StopToken& stop);

// The same for a table in compressed-column form, with row numbers ascending in each column.
TreeNodes grow_sparse(std::span<const float> data, std::span<const std::int32_t> indices,
                      std::span<const std::int32_t> indptr, const Target& target, std::span<const Row> rows,
                      const GrowOptions& options, int threads, StopToken& stop);

}  // namespace certus::trees
