#include "linear/anderson.hpp"

#include <algorithm>
#include <cmath>

#include "core/vector_ops.hpp"

namespace certus::linear {
namespace {

using Small = std::array<std::array<double, Anderson::memory>, Anderson::memory>;
using Factors = std::array<double, Anderson::memory>;

// Solves matrix * x = 1 by elimination with pivoting; false if the matrix is numerically singular.
bool solve_ones(Small matrix, Factors& x) {
  constexpr int m = Anderson::memory;
  x.fill(1.0);
  for (int k = 0; k < m; ++k) {
    int pivot = k;
    for (int i = k + 1; i < m; ++i) {
      if (std::abs(matrix[i][k]) > std::abs(matrix[pivot][k])) pivot = i;
    }
    if (!(std::abs(matrix[pivot][k]) > 0.0)) return false;
    std::swap(matrix[k], matrix[pivot]);
    std::swap(x[k], x[pivot]);
    for (int i = k + 1; i < m; ++i) {
      const double factor = matrix[i][k] / matrix[k][k];
      for (int j = k; j < m; ++j) matrix[i][j] -= factor * matrix[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = m - 1; k >= 0; --k) {
    for (int j = k + 1; j < m; ++j) x[k] -= matrix[k][j] * x[j];
    x[k] /= matrix[k][k];
  }
  return true;
}

void combine(const std::array<std::vector<double>, Anderson::memory + 1>& kept, const Factors& factors,
             double* out) {
  const std::size_t size = kept[0].size();
  std::fill(out, out + size, 0.0);
  for (int k = 0; k < Anderson::memory; ++k) {
    vector_ops().add_d(factors[k], kept[k + 1].data(), out, static_cast<Index>(size));
  }
}

}  // namespace

bool Anderson::keep(const double* moving, Index moving_size, const double* carried, Index carried_size) {
  moving_[count_].assign(moving, moving + moving_size);
  carried_[count_].assign(carried, carried + carried_size);
  return ++count_ == memory + 1;
}

bool Anderson::extrapolate(double* moving, double* carried) {
  count_ = 0;
  const std::size_t size = moving_[0].size();
  for (int k = 0; k < memory; ++k) {
    changes_[k].resize(size);
    for (std::size_t i = 0; i < size; ++i) changes_[k][i] = moving_[k + 1][i] - moving_[k][i];
  }
  Small products;
  double trace = 0.0;
  for (int a = 0; a < memory; ++a) {
    for (int b = 0; b <= a; ++b) {
      products[a][b] = products[b][a] =
          vector_ops().dot_d(changes_[a].data(), changes_[b].data(), static_cast<Index>(size));
    }
    trace += products[a][a];
  }
  if (!(trace > 0.0) || !std::isfinite(trace)) return false;
  for (int a = 0; a < memory; ++a) products[a][a] += 1e-14 * trace;
  Factors factors;
  if (!solve_ones(products, factors)) return false;
  double total = 0.0;
  for (const double factor : factors) total += factor;
  if (!(std::abs(total) > 0.0) || !std::isfinite(total)) return false;
  for (double& factor : factors) factor /= total;
  combine(moving_, factors, moving);
  combine(carried_, factors, carried);
  return true;
}

}  // namespace certus::linear
