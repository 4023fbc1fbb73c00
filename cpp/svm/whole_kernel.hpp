// The whole kernel matrix of a problem of moderate size, in double precision, each value computed once.
#pragma once

#include <span>
#include <vector>

#include "svm/kernel_rows.hpp"

namespace certus::svm {

// out (count x count, row-major, rows `stride` apart) = kernel values between the rows first .. first +
// count; exactly symmetric, unless the kernel is given and is not: the lower triangle is a copy of the upper
// one.
void fill_symmetric(const KernelRows<double>& rows, Index first, Index count, double* out, Index stride,
                    int threads, StopToken& stop);

// out = kernel values between `high` rows from `top` on and `wide` rows from `first` on, mirrored = those the
// other way round.
void fill_rectangle(const KernelRows<double>& rows, Index top, Index high, Index first, Index wide,
                    double* out, double* mirrored, Index stride);

// Stands for a matrix that lies in memory; the same interface as RowCache.
class WholeKernel {
 public:
  WholeKernel(const double* matrix, std::vector<double> diagonal)
      : matrix_(matrix), size_(static_cast<Index>(diagonal.size())), diagonal_(std::move(diagonal)) {}

  const std::vector<double>& diagonal() const { return diagonal_; }
  Index capacity() const { return size_; }
  void fetch(std::span<const Index> rows, std::span<const double*> out, int threads, StopToken& stop) const;
  std::span<const double> whole() const { return {matrix_, static_cast<std::size_t>(size_ * size_)}; }
  // scores[i] = sum_j coefficients[j] k(i, j)
  void sums(std::span<const double> coefficients, int threads, StopToken& stop,
            std::span<double> scores) const;

 private:
  const double* matrix_;
  Index size_;
  std::vector<double> diagonal_;
};

}  // namespace certus::svm
