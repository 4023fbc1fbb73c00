// A two-dimensional strided view: rows and columns over memory that somebody else owns.
#pragma once

#include <cstddef>
#include <type_traits>

namespace certus {

using Index = std::ptrdiff_t;

template <class T>
struct View2D {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;  // in elements, not bytes
  Index col_stride = 1;

  View2D() = default;
  View2D(T* data_, Index rows_, Index cols_) : View2D(data_, rows_, cols_, cols_, 1) {}
  View2D(T* data_, Index rows_, Index cols_, Index row_stride_, Index col_stride_)
      : data(data_), rows(rows_), cols(cols_), row_stride(row_stride_), col_stride(col_stride_) {}

  // A view that may write serves wherever a read-only view is asked for.
  template <class U>
    requires(std::is_const_v<T> && std::is_same_v<U, std::remove_const_t<T>>)
  View2D(const View2D<U>& other)  // NOLINT: implicit on purpose
      : View2D(other.data, other.rows, other.cols, other.row_stride, other.col_stride) {}

  T& operator()(Index row, Index col) const { return data[row * row_stride + col * col_stride]; }
  T* row(Index row) const { return data + row * row_stride; }
  T* col(Index col) const { return data + col * col_stride; }
  // Whether rows (columns) are contiguous and do not overlap, as BLAS asks; false for reversed and broadcast
  // axes.
  bool row_major() const { return (col_stride == 1 || cols <= 1) && (row_stride >= cols || rows <= 1); }
  bool col_major() const { return (row_stride == 1 || rows <= 1) && (col_stride >= rows || cols <= 1); }
  View2D rows_from(Index first, Index count) const {
    return View2D(row(first), count, cols, row_stride, col_stride);
  }
  View2D transposed() const { return View2D(data, cols, rows, col_stride, row_stride); }
};

}  // namespace certus
