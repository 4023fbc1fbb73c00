#include "core/row_hashes.hpp"

#include "core/row_hash_ops.hpp"

namespace certus {
namespace {

constexpr Index rows_of_block = 2048;

inline std::uint64_t finished(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// The loops of the machine's instruction set for this type of values.
template <class T>
auto row_loop() {
  if constexpr (sizeof(T) == 4)
    return row_hash_ops().row_f;
  else
    return row_hash_ops().row_d;
}

template <class T>
auto column_loop() {
  if constexpr (sizeof(T) == 4)
    return row_hash_ops().column_f;
  else
    return row_hash_ops().column_d;
}

template <class T, class I>
auto sparse_loop() {
  const RowHashOps& ops = row_hash_ops();
  if constexpr (sizeof(I) == 4) {
    if constexpr (sizeof(T) == 4)
      return ops.sparse_f32;
    else
      return ops.sparse_d32;
  } else {
    if constexpr (sizeof(T) == 4)
      return ops.sparse_f64;
    else
      return ops.sparse_d64;
  }
}

}  // namespace

template <class T>
void hash_rows(View2D<const T> table, std::span<const std::uint64_t> keys, std::span<std::uint64_t> out,
               int threads, StopToken& stop) {
  const auto of_row = row_loop<T>();
  const auto add_column = column_loop<T>();
  const std::uint64_t zeros = row_hash_ops().zeros(keys.data(), table.cols);
  parallel_ranges(table.rows, rows_of_block, threads, stop, [&](Index first, Index last, int) {
    if (stop.poll()) return;
    if (table.row_major()) {
      for (Index row = first; row < last; ++row)
        out[row] = finished(of_row(table.row(row), keys.data(), table.cols) - zeros);
      return;
    }
    for (Index row = first; row < last; ++row) out[row] = 0;
    for (Index j = 0; j < table.cols; ++j) {  // columns outside: each is read in the order in which it lies
      add_column(table.col(j) + first * table.row_stride, table.row_stride, keys[j], last - first,
                 &out[first]);
    }
    for (Index row = first; row < last; ++row) out[row] = finished(out[row] - zeros);
  });
}

template <class T, class I>
void hash_sparse_rows(std::span<const T> values, std::span<const I> columns, std::span<const I> starts,
                      std::span<const std::uint64_t> keys, std::span<std::uint64_t> out, int threads,
                      StopToken& stop) {
  const auto of_row = sparse_loop<T, I>();
  parallel_ranges(static_cast<Index>(out.size()), rows_of_block, threads, stop,
                  [&](Index first, Index last, int) {
                    if (stop.poll()) return;
                    for (Index row = first; row < last; ++row) {
                      const std::size_t start = static_cast<std::size_t>(starts[row]);
                      out[row] = finished(of_row(values.data() + start, columns.data() + start, keys.data(),
                                                 static_cast<Index>(starts[row + 1] - starts[row])));
                    }
                  });
}

template void hash_rows(View2D<const float>, std::span<const std::uint64_t>, std::span<std::uint64_t>, int,
                        StopToken&);
template void hash_rows(View2D<const double>, std::span<const std::uint64_t>, std::span<std::uint64_t>, int,
                        StopToken&);
template void hash_sparse_rows(std::span<const float>, std::span<const std::int32_t>,
                               std::span<const std::int32_t>, std::span<const std::uint64_t>,
                               std::span<std::uint64_t>, int, StopToken&);
template void hash_sparse_rows(std::span<const double>, std::span<const std::int32_t>,
                               std::span<const std::int32_t>, std::span<const std::uint64_t>,
                               std::span<std::uint64_t>, int, StopToken&);
template void hash_sparse_rows(std::span<const float>, std::span<const std::int64_t>,
                               std::span<const std::int64_t>, std::span<const std::uint64_t>,
                               std::span<std::uint64_t>, int, StopToken&);
template void hash_sparse_rows(std::span<const double>, std::span<const std::int64_t>,
                               std::span<const std::int64_t>, std::span<const std::uint64_t>,
                               std::span<std::uint64_t>, int, StopToken&);

}  // namespace certus
