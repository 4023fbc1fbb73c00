// Coordinate descent on a Gram matrix: min P(W) of gap_parts.hpp over some of the columns, from G = X'X
// and X'Y alone. A coordinate that stays costs nothing, one that moves costs a row of G. Extrapolation speeds
// up the sweeps; when they have cost about as much as a factorization would, the coefficients that are not 0
// are solved for exactly (one target), as far as their signs allow.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rng.hpp"
#include "core/stop.hpp"
#include "linear/anderson.hpp"
#include "linear/gap_parts.hpp"

namespace certus::linear {

// The data of the problem and its current point. Vectors with one entry per target and column hold the
// targets one after the other, `stride` apart.
struct GramSystem {
  const double* gram = nullptr;  // size x size, rows `stride` apart
  Index size = 0;
  Index stride = 0;
  Index targets = 1;
  double target_squares = 0.0;    // |Y|^2
  const double* cross = nullptr;  // X'Y
  double* coef = nullptr;         // W, in and out
  double* slope = nullptr;        // X'(Y - X W), kept up to date
};

struct Budget {
  std::int64_t visits = 0;  // coordinates looked at so far
  std::int64_t limit = 0;
  bool exhausted() const { return visits >= limit; }
};

// Parts of the gap of the problem restricted to the listed columns; coefficients of others must be 0.
GapParts gram_gap_parts(const GramSystem& system, const std::vector<Index>& columns,
                        const BlockPenalty& penalty);

class GramDescent {
 public:
  // `random`: order of the columns in each sweep; null is cyclic.
  explicit GramDescent(Rng* random) : random_(random) {}
  // Improves the coefficients of the listed columns until the gap of the problem restricted to them is at
  // most `wanted`, nothing moves any more, or the budget is used up.
  void run(GramSystem& system, std::vector<Index> columns, const BlockPenalty& penalty, double wanted,
           Budget& budget, StopToken& stop);

 private:
  double sweep(GramSystem& system, const std::vector<Index>& columns, const BlockPenalty& penalty);
  bool extrapolate(GramSystem& system, const std::vector<Index>& columns, const BlockPenalty& penalty);
  bool solve_support(GramSystem& system, const std::vector<Index>& columns, const BlockPenalty& penalty);

  bool step_on_support(GramSystem& system, const std::vector<Index>& support, const BlockPenalty& penalty);

  Rng* random_;
  Anderson anderson_;
  std::vector<double> block_, trial_coef_, trial_slope_, matrix_, right_;
  double work_ = 0.0;  // multiplications since the last exact solution
};

}  // namespace certus::linear
