#include "core/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/vector_ops.hpp"

namespace certus {
namespace {

struct Blocks {
  Index block;   // columns eliminated at a time
  Index inner;   // the same inside a diagonal block
  Index update;  // tile of the trailing update
};
constexpr Blocks small{48, 48, 96}, large{128, 32, 256};
constexpr Index small_size = 512;

// Factor of a small diagonal block by rows; returns the first row whose pivot is not above `least`, or
// `size`.
Index factor_rows(double* a, Index stride, Index size, const double* least) {
  for (Index i = 0; i < size; ++i) {
    double* row = a + i * stride;
    for (Index j = 0; j <= i; ++j) {
      const double* other = a + j * stride;
      double sum = row[j];
      for (Index k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i) {
        row[j] = sum / other[j];
      } else if (sum > least[i]) {
        row[i] = std::sqrt(sum);
      } else {
        return i;
      }
    }
  }
  return size;
}

// Inverse of a lower triangular block, dense with zeros above the diagonal.
void invert_lower(const double* a, Index stride, Index size, double* inverse) {
  std::fill(inverse, inverse + size * size, 0.0);
  for (Index i = 0; i < size; ++i) {
    double* line = inverse + i * size;
    for (Index k = 0; k < i; ++k) {
      const double factor = a[i * stride + k];
      const double* above = inverse + k * size;
      for (Index j = 0; j <= k; ++j) line[j] -= factor * above[j];
    }
    const double pivot = a[i * stride + i];
    line[i] = 1.0;
    for (Index j = 0; j <= i; ++j) line[j] /= pivot;
  }
}

// rows := rows inverse', through scratch space of the same size.
void multiply_panel(double* rows, Index stride, Index count, const double* inverse, Index width,
                    double* scratch) {
  gemm_nt(count, width, width, 1.0, rows, stride, inverse, width, 0.0, scratch, width);
  for (Index i = 0; i < count; ++i) std::copy_n(scratch + i * width, width, rows + i * stride);
}

// Factor of one diagonal block in narrower steps.
Index factor_block(double* a, Index stride, Index size, Index inner, const double* least, double* inverse,
                   double* scratch) {
  for (Index first = 0; first < size; first += inner) {
    const Index width = std::min(inner, size - first), after = first + width, below = size - after;
    double* corner = a + first * stride + first;
    const Index reached = factor_rows(corner, stride, width, least + first);
    if (reached < width) return first + reached;
    if (below == 0) break;
    invert_lower(corner, stride, width, inverse);
    double* under = a + after * stride + first;
    multiply_panel(under, stride, below, inverse, width, scratch);
    gemm_nt(below, below, width, -1.0, under, stride, under, stride, 1.0, a + after * stride + after, stride);
  }
  return size;
}

}  // namespace

Index factor_cholesky(double* matrix, Index size, double least, int threads, StopToken& stop) {
  const Blocks blocks = size <= small_size ? small : large;
  const Index block = blocks.block, inner = blocks.inner, update = blocks.update;
  const Index side = std::min(block, size), below_side = std::min(update, size);
  std::vector<double> inverse(static_cast<std::size_t>(side * side)), pivots(static_cast<std::size_t>(size));
  std::vector<std::vector<double>> scratch(static_cast<std::size_t>(std::max(threads, 1)),
                                           std::vector<double>(static_cast<std::size_t>(below_side * side)));
  for (Index j = 0; j < size; ++j) {
    pivots[static_cast<std::size_t>(j)] = std::max(least * matrix[j * size + j], 0.0);
  }
  for (Index first = 0; first < size && !stop.poll(); first += block) {
    const Index width = std::min(block, size - first), after = first + width, below = size - after;
    double* corner = matrix + first * size + first;
    const Index reached =
        factor_block(corner, size, width, inner, pivots.data() + first, inverse.data(), scratch[0].data());
    if (reached < width) return first + reached;
    if (below == 0) break;
    invert_lower(corner, size, width, inverse.data());
    double* under = matrix + after * size + first;
    parallel_ranges(below, update, threads, stop, [&](Index top, Index bottom, int worker) {
      multiply_panel(under + top * size, size, bottom - top, inverse.data(), width,
                     scratch[static_cast<std::size_t>(worker)].data());
    });
    const Index tiles = block_count(below, update);
    parallel_for(tiles * tiles, threads, stop, [&](Index number, int) {
      const Index row = number / tiles * update, col = number % tiles * update;
      if (col > row) return;
      gemm_nt(std::min(update, below - row), std::min(update, below - col), width, -1.0, under + row * size,
              size, under + col * size, size, 1.0, matrix + (after + row) * size + after + col, size);
    });
  }
  return size;
}

void solve_cholesky(const double* factor, Index size, double* right) {
  for (Index i = 0; i < size; ++i) {
    const double* row = factor + i * size;
    right[i] = (right[i] - vector_ops().dot_d(row, right, i)) / row[i];
  }
  solve_upper(factor, size, size, right);
}

void solve_upper(const double* factor, Index size, Index count, double* right) {
  for (Index i = count - 1; i >= 0; --i) {
    const double* row = factor + i * size;
    right[i] /= row[i];
    vector_ops().add_d(-right[i], row, right, i);
  }
}

}  // namespace certus
