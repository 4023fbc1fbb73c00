// The penalty of a column's coefficients w_j (one per target) and the duality gap that goes with it:
//
//   P(W) = |Y - X W|^2 / 2 + l1 sum_j |w_j| + (l2 / 2) |W|^2        (|w_j|: Euclidean norm over the targets)
//
// With one target this is the elastic net, with several the multi-task form. Dual point: s R with R the
// residual, s > 0 so small that |s (X_j'R - l2 w_j)| <= l1 for all j; then
//
//   min P >= s <R, Y> - (s^2 / 2) (|R|^2 + l2 |W|^2)                 (Fercoq, Gramfort, Salmon 2015)
#pragma once

#include <algorithm>
#include <cmath>

#include "core/view2d.hpp"

namespace certus::linear {

struct GroupPenalty {
  double l1 = 0.0;
  double l2 = 0.0;
  bool positive = false;  // one target only
};

// Numbers that P and its dual bound are made of.
struct GapParts {
  double residual_squares = 0.0;  // |R|^2
  double residual_target = 0.0;   // <R, Y>
  double norms = 0.0;             // sum_j |w_j|
  double squares = 0.0;           // |W|^2
  double largest = 0.0;           // max_j |X_j'R - l2 w_j| (with positive: of the positive parts)

  double primal(const GroupPenalty& penalty) const {
    return 0.5 * residual_squares + penalty.l1 * norms + 0.5 * penalty.l2 * squares;
  }
  // The best feasible multiple s of the residual.
  double scale(const GroupPenalty& penalty) const {
    const double size = residual_squares + penalty.l2 * squares;
    const double best = size > 0.0 ? residual_target / size : 0.0;
    const double feasible = largest > 0.0 ? penalty.l1 / largest : best;
    return std::max(0.0, std::min(best, feasible));
  }
  double gap(const GroupPenalty& penalty) const {
    const double s = scale(penalty);
    return primal(penalty) - s * residual_target + 0.5 * s * s * (residual_squares + penalty.l2 * squares);
  }
};

// |w_j| of one column; coefficients of the targets are `stride` apart.
inline double group_norm(const double* w, Index targets, Index stride) {
  if (targets == 1) return std::abs(w[0]);
  double sum = 0.0;
  for (Index t = 0; t < targets; ++t) sum += w[t * stride] * w[t * stride];
  return std::sqrt(sum);
}

// |X_j'R - l2 w_j|, what feasibility of the dual point asks to be at most l1.
inline double dual_size(const double* slope, const double* w, Index targets, Index stride,
                        const GroupPenalty& penalty) {
  if (targets == 1) {
    const double value = slope[0] - penalty.l2 * w[0];
    return penalty.positive ? std::max(value, 0.0) : std::abs(value);
  }
  double sum = 0.0;
  for (Index t = 0; t < targets; ++t) {
    const double value = slope[t * stride] - penalty.l2 * w[t * stride];
    sum += value * value;
  }
  return std::sqrt(sum);
}

// Minimizer of bend/2 |w|^2 - z'w + l1 |w|: overwrites z.
inline void shrink(double* z, Index targets, double bend, const GroupPenalty& penalty) {
  if (targets == 1) {
    const double size = penalty.positive ? z[0] : std::abs(z[0]);
    z[0] = size > penalty.l1 ? std::copysign(size - penalty.l1, z[0]) / bend : 0.0;
    return;
  }
  const double size = group_norm(z, targets, 1);
  const double factor = size > penalty.l1 ? (1.0 - penalty.l1 / size) / bend : 0.0;
  for (Index t = 0; t < targets; ++t) z[t] *= factor;
}

}  // namespace certus::linear
