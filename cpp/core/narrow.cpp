#include "core/narrow.hpp"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "core/parallel.hpp"

namespace certus {
namespace {

constexpr Index values_per_block = Index{1} << 16;

// Whether a value is not finite: x - x is 0 for finite x only.
template <class Stride>
unsigned narrow_row(const double* from, float* to, Index count, Stride from_stride, Stride to_stride) {
  unsigned bad = 0;
  for (Index i = 0; i < count; ++i) {
    const auto value = static_cast<float>(from[i * from_stride]);
    to[i * to_stride] = value;
    bad |= static_cast<unsigned>(value - value != 0.0f);
  }
  return bad;
}

}  // namespace

bool narrow(View2D<const double> from, View2D<float> to, int threads, StopToken& stop) {
  if (std::abs(from.row_stride) < std::abs(from.col_stride)) {  // along what lies together in memory
    from = from.transposed();
    to = to.transposed();
  }
  const bool dense = from.col_stride == 1 && to.col_stride == 1;
  const Index rows_per_block = std::max<Index>(1, values_per_block / std::max<Index>(1, from.cols));
  return ordered_reduce(
      block_count(from.rows, rows_per_block), threads, stop, true,
      [&](Index block) {
        unsigned bad = 0;
        const Index first = block * rows_per_block, last = std::min(from.rows, first + rows_per_block);
        for (Index row = first; row < last; ++row) {
          bad |= dense ? narrow_row(from.row(row), to.row(row), from.cols, std::integral_constant<Index, 1>(),
                                    std::integral_constant<Index, 1>())
                       : narrow_row(from.row(row), to.row(row), from.cols, from.col_stride, to.col_stride);
        }
        return bad == 0;
      },
      [](bool all, bool part) { return all && part; });
}

}  // namespace certus
