#include "svm/free_factor.hpp"

#include <algorithm>
#include <cmath>

#include "core/cholesky.hpp"
#include "core/vector_ops.hpp"
#include "svm/kernel_ops.hpp"

namespace certus::svm {
namespace {

constexpr int most_attempts = 4;  // each with a hundred times the ridge

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

bool FreeFactor::factor(std::span<const double> kernel, Index size, double ridge, int threads,
                        StopToken& stop) {
  size_ = stride_ = size;
  for (int attempt = 0; attempt < most_attempts; ++attempt, ridge *= 100.0) {
    values_.assign(kernel.begin(), kernel.end());
    for (Index i = 0; i < size; ++i) row(i)[i] += ridge;
    if (factor_cholesky(values_.data(), size, 0.0, threads, stop) == size) return !stop.poll();
  }
  return false;
}

// Without its row the factor has one entry too many per row from `position` on; a rotation of two neighboring
// columns takes it away row by row.
void FreeFactor::remove(Index position) {
  --size_;
  cosines_.resize(at(size_ - position));
  sines_.resize(at(size_ - position));
  for (Index i = position; i < size_; ++i) {
    std::copy_n(row(i + 1), i + 2, row(i));
    double* line = row(i) + position;
    double carried = line[0];
    for (Index k = 0; k < i - position; ++k) {
      const double next = line[k + 1];
      line[k] = cosines_[at(k)] * carried + sines_[at(k)] * next;
      carried = cosines_[at(k)] * next - sines_[at(k)] * carried;
    }
    const Index last = i - position;
    const double length = std::hypot(carried, line[last + 1]);
    cosines_[at(last)] = carried / length;
    sines_[at(last)] = line[last + 1] / length;
    line[last] = length;
  }
}

void FreeFactor::solve(std::span<double> right) const {
  for (Index i = 0; i < size_; ++i) {
    right[at(i)] = (right[at(i)] - vector_ops().dot_d(row(i), right.data(), i)) / row(i)[i];
  }
  for (Index i = size_ - 1; i >= 0; --i) {
    right[at(i)] /= row(i)[i];
    const double *line = row(i), factor = -right[at(i)];
    kernel_ops<double>().add_rows(&line, &factor, 1, 0, right.data(), i);
  }
}

}  // namespace certus::svm
