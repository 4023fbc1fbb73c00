// Rows of a table in blocks: copied as doubles into a small buffer that stays in cache, whatever their type,
// order and strides. Rows that already lie as contiguous doubles are used in place.
//
// The cutting depends on the shape alone (never on the number of threads): rows form blocks, blocks form
// chunks, every chunk adds up its own blocks in order, and the chunks' sums are added in order.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/view2d.hpp"

namespace certus::linear {

struct RowPlan {
  Index rows = 0;
  Index block_rows = 1;
  Index blocks = 0;
  Index chunks = 0;

  Index first_block(Index chunk) const { return chunk * blocks / chunks; }
  Index first_row(Index block) const { return block * block_rows; }
  Index last_row(Index block) const { return std::min(rows, first_row(block) + block_rows); }

  // The longest chain of additions behind one entry of a sum over all rows; rounding bounds rest on it.
  Index longest_chain() const {
    return blocks == 0 ? 0 : std::min(rows, block_rows) + (blocks + chunks - 1) / chunks + chunks;
  }
};

// Blocks of about `block_doubles` numbers; as many chunks as `sum_doubles` numbers per partial sum allow.
inline RowPlan plan_rows(Index rows, Index cols, Index sum_doubles, Index block_doubles = Index{1} << 16) {
  constexpr Index most_chunks = 64, chunk_memory = Index{1} << 24;
  RowPlan plan;
  plan.rows = rows;
  plan.block_rows = std::clamp<Index>(block_doubles / std::max<Index>(cols, 1), 32, 4096);
  plan.blocks = (rows + plan.block_rows - 1) / plan.block_rows;
  const Index affordable = std::clamp<Index>(chunk_memory / std::max<Index>(sum_doubles, 1), 4, most_chunks);
  plan.chunks = std::min(plan.blocks, affordable);
  return plan;
}

// Rows [first, last) as a row-major block of doubles with row stride x.cols, or in place.
template <class T>
struct RowBlock {
  const double* data = nullptr;
  Index stride = 0;

  RowBlock(View2D<const T> x, Index first, Index last, std::vector<double>& buffer) {
    if constexpr (std::is_same_v<T, double>) {
      if (x.row_major()) {
        data = x.row(first);
        stride = x.row_stride;
        return;
      }
    }
    copy(x, first, last, buffer.data());
    data = buffer.data();
    stride = x.cols;
  }

  static void copy(View2D<const T> x, Index first, Index last, double* out) {
    if (x.col_stride == 1) {
      for (Index i = first; i < last; ++i, out += x.cols) {
        const T* row = x.row(i);
        for (Index j = 0; j < x.cols; ++j) out[j] = static_cast<double>(row[j]);
      }
      return;
    }
    for (Index j = 0; j < x.cols; ++j) {
      const T* column = x.col(j);
      for (Index i = first; i < last; ++i) {
        out[(i - first) * x.cols + j] = static_cast<double>(column[i * x.row_stride]);
      }
    }
  }
};

}  // namespace certus::linear
