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
  double gap_tol = 0.0;   // if positive, the duality gap decides: it must be at most this, and suffices
  Index max_passes = 0;
  std::uint64_t seed = 0;
  std::uint64_t stage = 0;  // counts the calls that continue one descent
};

// What a problem carries from one call to the next that continues it; zeros at the first.
struct DescentMemory {
  enum Number {
    first_sum,   // of violations, in the first pass of all
    tightening,  // how many times the rule had to be tightened
    objective,   // of the primal problem, and
    gap,         // its distance to the dual one, both only measured if the rule is not met at the end
    count
  };
};

// Per problem: coefficients b (rows), w = X'b (cols + 1), passes made, whether the rule was met, numbers as
// listed above.
struct DescentOutputs {
  std::span<const std::int64_t> numbers;  // of the problems, by which their random orders are named
  View2D<double> b;
  View2D<double> w;
  std::span<std::int64_t> passes;
  std::span<std::uint8_t> converged;
  View2D<double> memory;
};

// Improves b and w in place for every problem of the family, problems in parallel; w must belong to b at the
// start. The order of the rows is drawn from (seed, number of the problem, stage).
template <class Rows>
void dual_descent(const Rows& x, const BoxDualFamily& family, const DescentRule& rule, int threads,
                  StopToken& stop, DescentOutputs out);

}  // namespace certus::linear
