// Dual coordinate descent with shrinking for linear machines (Hsieh et al. 2008, Ho and Lin 2012), on the
// common dual of box_dual.hpp.
#pragma once

#include <cstdint>

#include "core/stop.hpp"
#include "linear/box_dual.hpp"
#include "linear/table_rows.hpp"

namespace certus::linear {

struct DescentRule {
  double tol = 0.0;       // largest violation of optimality, absolute or
  bool relative = false;  // the sum of violations relative to that of the first pass
  double gap_tol = 0.0;   // if positive: also the duality gap must be at most this
  Index max_passes = 0;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
};

// Per problem: coefficients b (rows), w = X'b (cols + 1), passes made, whether the rule was met.
struct DescentOutputs {
  View2D<double> b;
  View2D<double> w;
  std::span<std::int64_t> passes;
  std::span<std::uint8_t> converged;
};

// Improves b and w in place for every problem of the family, problems in parallel; w must belong to b at the
// start. The order of the rows is drawn from (seed, number of the problem).
template <class Rows>
void dual_descent(const Rows& x, const BoxDualFamily& family, const DescentRule& rule, int threads,
                  StopToken& stop, DescentOutputs out);

}  // namespace certus::linear
