// Extrapolation of the iterates of coordinate descent (Bertrand, Massias 2021): close to the optimum they
// follow a linear recursion, whose fixed point is approximated by the affine combination of the last iterates
// with the least change. What depends affinely on the iterate (residuals, slopes) is combined with the same
// factors.
#pragma once

#include <array>
#include <vector>

#include "core/view2d.hpp"

namespace certus::linear {

class Anderson {
 public:
  static constexpr int memory = 5;

  void reset() { count_ = 0; }
  // Keeps the iterate, which is the concatenation of `moving` (the coefficients that the changes are measured
  // in) and `carried` (what follows from them). True when there are enough to extrapolate.
  bool keep(const double* moving, Index moving_size, const double* carried, Index carried_size);
  // Writes the extrapolated point and forgets the iterates; false when the changes are degenerate.
  bool extrapolate(double* moving, double* carried);

 private:
  std::array<std::vector<double>, memory + 1> moving_, carried_;
  std::array<std::vector<double>, memory> changes_;
  int count_ = 0;
};

}  // namespace certus::linear
