// Cholesky factor of the kernel matrix of the free variables, out of which variables can be taken.
#pragma once

#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::svm {

class FreeFactor {
 public:
  // L L' = kernel + ridge I with a small ridge, enlarged until the factorization succeeds. Returns whether it
  // does: it fails for kernels that are not positive semi-definite.
  bool factor(std::span<const double> kernel, Index size, double ridge, int threads, StopToken& stop);
  // Takes out one row and column by rotations, O(size^2).
  void remove(Index position);
  // Overwrites `right` by the solution of L L'x = right, O(size^2).
  void solve(std::span<double> right) const;
  Index size() const { return size_; }

 private:
  double* row(Index i) { return values_.data() + i * stride_; }
  const double* row(Index i) const { return values_.data() + i * stride_; }

  Index size_ = 0;
  Index stride_ = 0;
  std::vector<double> values_;  // lower triangle by rows
  std::vector<double> cosines_, sines_;
};

}  // namespace certus::svm
