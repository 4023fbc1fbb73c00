#include "kernels/shifted.hpp"

#include "core/parallel.hpp"

namespace certus::kernels {

constexpr Index rows_per_block = 64;

void scale_and_shift(View2D<const double> K, std::span<const std::int64_t> rows,
                     std::span<const double> scale, double shift, int threads, StopToken& stop,
                     View2D<double> out) {
  parallel_ranges(out.rows, rows_per_block, threads, stop, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double* from = K.row(rows[at]);
      double* line = out.row(i);
      const double factor = scale[at];
      for (std::size_t j = 0; j <= at; ++j) line[j] = factor * from[rows[j]] * scale[j];
      line[at] += shift;
    }
  });
}

}  // namespace certus::kernels
