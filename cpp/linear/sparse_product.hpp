// Products of a compressed sparse row matrix with a dense one:  out (rows x k) := A B,  B (columns x k).
// The transposed product is the same call with the transposed matrix. Rows are independent: equal bits for
// any number of threads. Values of either float type; sums in double; indices of 32 or 64 bits.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::linear {

template <class T, class I>
struct SparseRows {
  std::span<const I> starts;  // rows + 1
  std::span<const I> columns;
  std::span<const T> values;
};

template <class T, class I>
void sparse_product(const SparseRows<T, I>& matrix, View2D<const double> dense, int threads, StopToken& stop,
                    View2D<double> out);

// squares[i] := sum_j (values_ij / scale_j)^2
template <class T, class I>
void sparse_squares(const SparseRows<T, I>& matrix, std::span<const double> scale, int threads,
                    StopToken& stop, std::span<double> squares);

}  // namespace certus::linear
