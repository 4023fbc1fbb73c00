#include "linear/sparse_product.hpp"

#include <algorithm>
#include <cstdint>

#include "core/parallel.hpp"
#include "core/prefetch.hpp"

namespace certus::linear {
namespace {

constexpr Index block_rows = 256;
constexpr std::size_t ahead = 8;  // entries of the matrix whose rows of the other factor are on their way
constexpr Index prefetched = 64;  // of such a row

}  // namespace

template <class T, class I>
void sparse_product(const SparseRows<T, I>& matrix, View2D<const double> dense, int threads, StopToken& stop,
                    View2D<double> out) {
  const Index width = dense.cols;
  parallel_ranges(out.rows, block_rows, threads, stop, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      const auto begin = static_cast<std::size_t>(matrix.starts[static_cast<std::size_t>(row)]);
      const auto end = static_cast<std::size_t>(matrix.starts[static_cast<std::size_t>(row) + 1]);
      double* to = out.row(row);
      if (width == 1) {
        double sum = 0.0;
        for (auto at = begin; at < end; ++at) {
          sum += static_cast<double>(matrix.values[at]) * dense.data[static_cast<Index>(matrix.columns[at])];
        }
        *to = sum;
        continue;
      }
      std::fill(to, to + width, 0.0);
      for (auto at = begin; at < end; ++at) {
        if (at + ahead < matrix.columns.size()) {  // also across rows: they follow each other in memory
          const double* next = dense.row(static_cast<Index>(matrix.columns[at + ahead]));
          for (Index k = 0; k < std::min(width, prefetched); k += 8) prefetch_line(next + k);
        }
        const double value = static_cast<double>(matrix.values[at]);
        const double* from = dense.row(static_cast<Index>(matrix.columns[at]));
        for (Index k = 0; k < width; ++k) to[k] += value * from[k];
      }
    }
  });
}

template <class T, class I>
void sparse_squares(const SparseRows<T, I>& matrix, std::span<const double> scale, int threads,
                    StopToken& stop, std::span<double> squares) {
  parallel_ranges(
      static_cast<Index>(squares.size()), block_rows, threads, stop, [&](Index first, Index last, int) {
        for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last); ++row) {
          double sum = 0.0;
          for (auto at = static_cast<std::size_t>(matrix.starts[row]);
               at < static_cast<std::size_t>(matrix.starts[row + 1]); ++at) {
            const double part =
                static_cast<double>(matrix.values[at]) / scale[static_cast<std::size_t>(matrix.columns[at])];
            sum += part * part;
          }
          squares[row] = sum;
        }
      });
}

#define CERTUS_INSTANTIATE(T, I)                                                                        \
  template void sparse_product<T, I>(const SparseRows<T, I>&, View2D<const double>, int, StopToken&,    \
                                     View2D<double>);                                                   \
  template void sparse_squares<T, I>(const SparseRows<T, I>&, std::span<const double>, int, StopToken&, \
                                     std::span<double>);
CERTUS_INSTANTIATE(float, std::int32_t)
CERTUS_INSTANTIATE(float, std::int64_t)
CERTUS_INSTANTIATE(double, std::int32_t)
CERTUS_INSTANTIATE(double, std::int64_t)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
