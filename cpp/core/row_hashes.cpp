#include "core/row_hashes.hpp"

#include <bit>
#include <cmath>

namespace certus {
namespace {

constexpr Index rows_of_block = 2048;

inline std::uint64_t bits_of(float value) {
  constexpr std::uint32_t one_nan = 0x7fc00000U;
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);  // -0 + 0 is 0
  return value == value ? bits : one_nan;
}

inline std::uint64_t spread(std::uint64_t z) {
  z = (z ^ (z >> 32)) * 0xbf58476d1ce4e5b9ULL;
  return (z ^ (z >> 29)) * 0x94d049bb133111ebULL;
}

inline std::uint64_t finished(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t of_zeros(std::span<const std::uint64_t> keys) {
  std::uint64_t sum = 0;
  for (const std::uint64_t key : keys) sum += spread(key);
  return sum;
}

}  // namespace

template <class T>
void hash_rows(View2D<const T> table, std::span<const std::uint64_t> keys, std::span<std::uint64_t> out,
               int threads, StopToken& stop) {
  const std::uint64_t zeros = of_zeros(keys);
  parallel_ranges(table.rows, rows_of_block, threads, stop, [&](Index first, Index last, int) {
    if (stop.poll()) return;
    if (table.row_major()) {
      for (Index row = first; row < last; ++row) {
        const T* values = table.row(row);
        std::uint64_t sum = 0;
        for (Index j = 0; j < table.cols; ++j)
          sum += spread(keys[j] + bits_of(static_cast<float>(values[j])));
        out[row] = finished(sum - zeros);
      }
      return;
    }
    for (Index row = first; row < last; ++row) out[row] = 0;
    for (Index j = 0; j < table.cols; ++j) {  // columns outside: each is read in the order in which it lies
      for (Index row = first; row < last; ++row) {
        out[row] += spread(keys[j] + bits_of(static_cast<float>(table(row, j))));
      }
    }
    for (Index row = first; row < last; ++row) out[row] = finished(out[row] - zeros);
  });
}

template <class T, class I>
void hash_sparse_rows(std::span<const T> values, std::span<const I> columns, std::span<const I> starts,
                      std::span<const std::uint64_t> keys, std::span<std::uint64_t> out, int threads,
                      StopToken& stop) {
  parallel_ranges(static_cast<Index>(out.size()), rows_of_block, threads, stop,
                  [&](Index first, Index last, int) {
                    if (stop.poll()) return;
                    for (Index row = first; row < last; ++row) {
                      std::uint64_t sum = 0;
                      for (I at = starts[row]; at < starts[row + 1]; ++at) {
                        const std::uint64_t key = keys[columns[at]];
                        sum += spread(key + bits_of(static_cast<float>(values[at]))) - spread(key);
                      }
                      out[row] = finished(sum);
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
