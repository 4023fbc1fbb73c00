#include "linear/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/blas.hpp"
#include "linear/column_ops.hpp"

namespace certus::linear {
namespace {

constexpr Index block = 48;

// Factor of one diagonal block; `diagonal` holds the original diagonal entries. Returns the first row whose
// pivot is too small, or `size`.
Index factor_block(double* a, Index stride, Index size, const double* diagonal, double least) {
  for (Index j = 0; j < size; ++j) {
    double* row = a + j * stride;
    double pivot = row[j];
    for (Index k = 0; k < j; ++k) pivot -= row[k] * row[k];
    if (!(pivot > least * diagonal[j])) return j;
    row[j] = std::sqrt(pivot);
    for (Index i = j + 1; i < size; ++i) {
      double* lower = a + i * stride;
      double sum = lower[j];
      for (Index k = 0; k < j; ++k) sum -= lower[k] * row[k];
      lower[j] = sum / row[j];
    }
  }
  return size;
}

// Inverse of a lower triangular block, row-major and dense with zeros above.
void invert_block(const double* a, Index stride, Index size, double* inverse) {
  std::fill(inverse, inverse + size * size, 0.0);
  for (Index j = 0; j < size; ++j) {
    inverse[j * size + j] = 1.0 / a[j * stride + j];
    for (Index i = j + 1; i < size; ++i) {
      double sum = 0.0;
      for (Index k = j; k < i; ++k) sum += a[i * stride + k] * inverse[k * size + j];
      inverse[i * size + j] = -sum / a[i * stride + i];
    }
  }
}

}  // namespace

Index factor_cholesky(double* matrix, Index size, double least) {
  std::vector<double> diagonal(static_cast<std::size_t>(size)), inverse(block * block),
      panel(static_cast<std::size_t>(size * block));
  for (Index j = 0; j < size; ++j) diagonal[static_cast<std::size_t>(j)] = matrix[j * size + j];
  for (Index first = 0; first < size; first += block) {
    const Index width = std::min(block, size - first), after = first + width, below = size - after;
    double* corner = matrix + first * size + first;
    const Index reached = factor_block(corner, size, width, diagonal.data() + first, least);
    if (reached < width) return first + reached;
    if (below == 0) break;
    invert_block(corner, size, width, inverse.data());
    double* under = matrix + after * size + first;
    gemm_nt(below, width, width, 1.0, under, size, inverse.data(), width, 0.0, panel.data(), width);
    for (Index i = 0; i < below; ++i) std::copy_n(panel.data() + i * width, width, under + i * size);
    for (Index row = after; row < size; row += 2 * block) {  // only the lower triangle of the rest
      const Index rows = std::min(2 * block, size - row), cols = row + rows - after;
      gemm_nt(rows, cols, width, -1.0, matrix + row * size + first, size, under, size, 1.0,
              matrix + row * size + after, size);
    }
  }
  return size;
}

void solve_cholesky(const double* factor, Index size, double* right) {
  for (Index i = 0; i < size; ++i) {
    const double* row = factor + i * size;
    right[i] = (right[i] - column_ops().dot_d(row, right, i)) / row[i];
  }
  solve_upper(factor, size, size, right);
}

void solve_upper(const double* factor, Index size, Index count, double* right) {
  for (Index i = count - 1; i >= 0; --i) {
    const double* row = factor + i * size;
    right[i] /= row[i];
    column_ops().add_d(-right[i], row, right, i);
  }
}

}  // namespace certus::linear
