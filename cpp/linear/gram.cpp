#include "linear/gram.hpp"

#include <cmath>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "linear/row_blocks.hpp"

namespace certus::linear {
namespace {

RowPlan gram_plan(Index rows, Index width) { return plan_rows(rows, width, width * width, Index{1} << 17); }

// One row-major block of sqrt(w) * [x - s_x, y - s_y, 1].
template <class T>
void load_block(View2D<const T> x, View2D<const double> y, std::span<const double> weights,
                std::span<const double> shift, Index first, Index last, double* out) {
  const Index d = x.cols, t = y.cols, width = d + t + 1;
  const double* shift_x = shift.data();
  const double* shift_y = shift.data() + d;
  if (x.col_stride == 1) {
    for (Index i = first; i < last; ++i) {
      const T* row = x.row(i);
      double* to = out + (i - first) * width;
      for (Index j = 0; j < d; ++j) to[j] = static_cast<double>(row[j]) - shift_x[j];
    }
  } else {
    for (Index j = 0; j < d; ++j) {
      const T* column = x.col(j);
      for (Index i = first; i < last; ++i) {
        out[(i - first) * width + j] = static_cast<double>(column[i * x.row_stride]) - shift_x[j];
      }
    }
  }
  for (Index i = first; i < last; ++i) {
    double* to = out + (i - first) * width;
    for (Index k = 0; k < t; ++k) to[d + k] = y(i, k) - shift_y[k];
    to[d + t] = 1.0;
    if (!weights.empty()) {
      const double root = std::sqrt(weights[static_cast<std::size_t>(i)]);
      for (Index j = 0; j < width; ++j) to[j] *= root;
    }
  }
}

}  // namespace

template <class T>
void shifted_gram(View2D<const T> x, View2D<const double> y, std::span<const double> weights,
                  std::span<const double> shift, int threads, StopToken& stop, View2D<double> out) {
  const Index width = x.cols + y.cols + 1;
  const RowPlan plan = gram_plan(x.rows, width);
  std::vector<double> sums(static_cast<std::size_t>(plan.chunks * width * width));
  std::vector<std::vector<double>> buffers(static_cast<std::size_t>(threads));
  parallel_for(plan.chunks, threads, stop, [&](Index chunk, int worker) {
    auto& buffer = buffers[static_cast<std::size_t>(worker)];
    buffer.resize(static_cast<std::size_t>(plan.block_rows * width));
    double* sum = sums.data() + chunk * width * width;
    double keep = 0.0;
    for (Index block = plan.first_block(chunk); block < plan.first_block(chunk + 1); ++block) {
      if (stop.poll()) return;
      const Index first = plan.first_row(block), last = plan.last_row(block);
      load_block(x, y, weights, shift, first, last, buffer.data());
      syrk_tn(width, last - first, 1.0, buffer.data(), width, keep, sum, width);
      keep = 1.0;
    }
  });
  for (Index i = 0; i < width; ++i) {
    for (Index j = i; j < width; ++j) {
      double total = 0.0;
      for (Index chunk = 0; chunk < plan.chunks; ++chunk) {
        total += sums[static_cast<std::size_t>((chunk * width + i) * width + j)];
      }
      out(i, j) = total;
      out(j, i) = total;
    }
  }
}

Index gram_chain(Index rows, Index width) { return gram_plan(rows, width).longest_chain(); }

template void shifted_gram<float>(View2D<const float>, View2D<const double>, std::span<const double>,
                                  std::span<const double>, int, StopToken&, View2D<double>);
template void shifted_gram<double>(View2D<const double>, View2D<const double>, std::span<const double>,
                                   std::span<const double>, int, StopToken&, View2D<double>);

}  // namespace certus::linear
