// z := x W for the rows of a chunk, from the table (first layer) or from the outputs of the layer below.
#pragma once

#include <algorithm>

#include "core/blas.hpp"
#include "neural/architecture.hpp"
#include "neural/table.hpp"
#include "neural/typed_ops.hpp"

namespace certus::neural {

// Rows of the table as they are, where they are contiguous, or copied into `scratch`.
template <class T>
View2D<const T> dense_rows(const Table<T>& table, const Rows& rows, T* scratch) {
  if (rows.chosen == nullptr && table.dense.row_major()) return table.dense.rows_from(rows.first, rows.count);
  for (Index i = 0; i < rows.count; ++i) table.gather(rows[i], scratch + i * table.cols());
  return {scratch, rows.count, table.cols()};
}

// out_ij = x_ij factor_j
template <class T>
void scale_rows(View2D<const T> x, const T* factor, T* out) {
  for (Index i = 0; i < x.rows; ++i, out += x.cols) {
    const T* row = x.row(i);
    for (Index j = 0; j < x.cols; ++j) out[j] = row[j] * factor[j];
  }
}

// sums_j += sum_i x_ij y_ij
template <class T>
void add_products(const T* x, const T* y, Index rows, Index cols, T* sums) {
  for (Index i = 0; i < rows; ++i, x += cols, y += cols) {
    for (Index j = 0; j < cols; ++j) sums[j] += x[j] * y[j];
  }
}

template <class T>
void multiply_sparse(const Table<T>& table, const Rows& rows, const T* w, Index out, T* z) {
  std::fill_n(z, rows.count * out, T(0));
  for (Index i = 0; i < rows.count; ++i) {
    table.each(rows[i],
               [&](Index column, T value) { TypedOps<T>::add(value, w + column * out, z + i * out, out); });
  }
}

template <class T>
void multiply_dense(View2D<const T> x, const T* w, Index out, T* z) {
  gemm_nn<T>(x.rows, out, x.cols, T(1), x.data, x.row_stride, w, out, T(0), z, out);
}

}  // namespace certus::neural
