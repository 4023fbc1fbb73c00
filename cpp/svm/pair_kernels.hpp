// Kernel matrices of all pairs of parts (classes) of a table, sharing work between the pairs: the matrix
// within a part is computed once for all pairs it takes part in, the one between two parts once for both
// directions. In sum about half of all kernel values, instead of nearly twice all of them for many parts.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "svm/whole_kernel.hpp"

namespace certus::svm {

// Part c has the rows members[starts[c] .. starts[c + 1]) of the table.
struct Parts {
  std::span<const std::int32_t> members;
  std::span<const std::int64_t> starts;

  Index count() const { return std::max<Index>(static_cast<Index>(starts.size()) - 1, 0); }
  Index size(Index part) const {
    return starts[static_cast<std::size_t>(part) + 1] - starts[static_cast<std::size_t>(part)];
  }
  // Number of kernel values within the parts, and of the largest matrix of a pair.
  double values_within() const;
  double values_of_pair() const;
};

class PairKernels {
 public:
  PairKernels(const Table& table, const KernelFunction& kernel, const Parts& parts, int threads,
              StopToken& stop);

  // Writes the matrix of the rows of part a followed by those of part b to `out`.
  WholeKernel matrix(Index a, Index b, double* out) const;

 private:
  Parts parts_;
  KernelRows<double> rows_;
  std::vector<std::unique_ptr<double[]>> within_;
};

}  // namespace certus::svm
