#include "graphical/emissions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace certus::graphical {
namespace {

constexpr Index tile = 128;  // rows that stay in the nearest cache
constexpr Index most_blocks = 64;

Index block_rows(Index rows, Index least) { return std::max(least, block_count(rows, most_blocks)); }

// tile x d differences from a mean.
void subtract(View2D<const double> x, Index at, Index rows, const double* mean, double* out) {
  for (Index t = 0; t < rows; ++t) {
    const double* row = x.row(at + t);
    for (Index j = 0; j < x.cols; ++j) out[t * x.cols + j] = row[j] - mean[j];
  }
}

}  // namespace

void gaussian_densities(View2D<const double> x, View2D<const double> means, View2D<const double> whitening,
                        std::span<const double> constant, View2D<double> out, int threads, StopToken& stop) {
  const Index d = x.cols, states = means.rows;
  const auto size = static_cast<std::size_t>(tile * d);
  std::vector<double> scratch(2 * size * static_cast<std::size_t>(std::max(threads, 1)));
  parallel_ranges(x.rows, tile, threads, stop, [&](Index first, Index last, int worker) {
    if (stop.poll()) return;
    double* differences = scratch.data() + 2 * size * static_cast<std::size_t>(worker);
    double* whitened = differences + size;
    for (Index k = 0; k < states; ++k) {
      subtract(x, first, last - first, means.row(k), differences);
      gemm_nt<double>(last - first, d, d, 1.0, differences, d, whitening.row(k * d), d, 0.0, whitened, d);
      for (Index t = 0; t < last - first; ++t) {
        double sum = 0.0;
        for (Index j = 0; j < d; ++j) sum += whitened[t * d + j] * whitened[t * d + j];
        out(first + t, k) = constant[static_cast<std::size_t>(k)] - 0.5 * sum;
      }
    }
  });
}

void gaussian_moments(View2D<const double> x, View2D<const double> posterior, View2D<const double> means,
                      View2D<double> first, View2D<double> second, int threads, StopToken& stop) {
  const Index d = x.cols, states = means.rows;
  const bool products = second.rows != states;
  const Index per_state = products ? d + d * d : 2 * d;
  const Index size = block_rows(x.rows, 1024), blocks = block_count(x.rows, size);
  std::vector<double> parts(static_cast<std::size_t>(blocks * states * per_state), 0.0);
  std::vector<double> scratch(static_cast<std::size_t>(tile * d * std::max(threads, 1)));
  parallel_for(blocks, threads, stop, [&](Index block, int worker) {
    double* differences = scratch.data() + tile * d * worker;
    const Index end = std::min(x.rows, (block + 1) * size);
    for (Index at = block * size; at < end; at += tile) {
      if (stop.poll()) return;
      const Index rows = std::min(tile, end - at);
      for (Index k = 0; k < states; ++k) {
        double* sums = parts.data() + (block * states + k) * per_state;
        double* squares = sums + d;
        subtract(x, at, rows, means.row(k), differences);
        for (Index t = 0; t < rows; ++t) {
          const double g = posterior(at + t, k);
          double* row = differences + t * d;
          for (Index j = 0; j < d; ++j) sums[j] += g * row[j];
          if (products) {
            const double root = std::sqrt(g);
            for (Index j = 0; j < d; ++j) row[j] *= root;
          } else {
            for (Index j = 0; j < d; ++j) squares[j] += g * row[j] * row[j];
          }
        }
        if (products) syrk_tn<double>(d, rows, 1.0, differences, d, 1.0, squares, d);
      }
    }
  });
  if (stop.requested()) return;
  for (Index block = 0; block < blocks; ++block) {
    for (Index k = 0; k < states; ++k) {
      const double* sums = parts.data() + (block * states + k) * per_state;
      for (Index j = 0; j < d; ++j) first(k, j) += sums[j];
      if (!products) {
        for (Index j = 0; j < d; ++j) second(k, j) += sums[d + j];
        continue;
      }
      for (Index i = 0; i < d; ++i) {
        for (Index j = 0; j < d; ++j) {
          second(k * d + i, j) += sums[d + (i < j ? i * d + j : j * d + i)];  // the upper triangle is known
        }
      }
    }
  }
}

void symbol_counts(std::span<const std::int64_t> symbols, View2D<const double> posterior,
                   View2D<double> counts, int threads, StopToken& stop) {
  const auto rows = static_cast<Index>(symbols.size());
  const Index states = counts.cols, cells = counts.rows * states;
  // As many partial tables as fit into 32 MB.
  const Index allowed =
      std::max<Index>(1, std::min<Index>(most_blocks, 4'000'000 / std::max<Index>(cells, 1)));
  const Index size = std::max<Index>(4096, block_count(rows, allowed)), blocks = block_count(rows, size);
  std::vector<double> parts(static_cast<std::size_t>(blocks * cells), 0.0);
  parallel_for(blocks, threads, stop, [&](Index block, int) {
    double* table = parts.data() + block * cells;
    const Index end = std::min(rows, (block + 1) * size);
    for (Index t = block * size; t < end; ++t) {
      if (t % 4096 == 0 && stop.poll()) return;
      const auto symbol = static_cast<Index>(symbols[static_cast<std::size_t>(t)]);
      if (symbol < 0) continue;
      const double* row = posterior.row(t);
      double* into = table + symbol * states;
      for (Index k = 0; k < states; ++k) into[k] += row[k];
    }
  });
  if (stop.requested()) return;
  for (Index block = 0; block < blocks; ++block) {
    for (Index m = 0; m < counts.rows; ++m) {
      for (Index k = 0; k < states; ++k)
        counts(m, k) += parts[static_cast<std::size_t>(block * cells + m * states + k)];
    }
  }
}

}  // namespace certus::graphical
