// Rows that a network reads: a dense table with any strides, or compressed sparse rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/view2d.hpp"

namespace certus::neural {

template <class T>
struct Table {
  View2D<const T> dense;
  // Compressed rows; used where `starts` is not empty.
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> columns;
  std::span<const T> values;
  Index width = 0;

  bool sparse() const { return !starts.empty(); }
  Index rows() const { return sparse() ? static_cast<Index>(starts.size()) - 1 : dense.rows; }
  Index cols() const { return sparse() ? width : dense.cols; }
  Index entries() const { return sparse() ? static_cast<Index>(values.size()) : dense.rows * dense.cols; }

  void gather(Index row, T* out) const {
    const T* from = dense.row(row);
    if (dense.col_stride == 1) {
      std::copy_n(from, dense.cols, out);
    } else {
      for (Index j = 0; j < dense.cols; ++j) out[j] = from[j * dense.col_stride];
    }
  }
  // visit(column, value) for every stored entry of a sparse row.
  template <class Visit>
  void each(Index row, Visit&& visit) const {
    const auto last = static_cast<std::size_t>(starts[static_cast<std::size_t>(row) + 1]);
    for (auto at = static_cast<std::size_t>(starts[static_cast<std::size_t>(row)]); at < last; ++at) {
      visit(static_cast<Index>(columns[at]), values[at]);
    }
  }
};

// The rows of a chunk: `chosen` of them, or consecutive ones from `first` where it is null.
struct Rows {
  const std::int64_t* chosen = nullptr;
  Index first = 0, count = 0;
  Index operator[](Index i) const { return chosen == nullptr ? first + i : static_cast<Index>(chosen[i]); }
  Rows part(Index from, Index rows) const {
    return {chosen == nullptr ? nullptr : chosen + from, first + (chosen == nullptr ? from : 0), rows};
  }
};

}  // namespace certus::neural
