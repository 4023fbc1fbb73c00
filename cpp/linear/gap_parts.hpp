// The duality gap of least squares with a penalty per column:
//
//   P(W) = |Y - X W|^2 / 2 + l1 sum_j |w_j| + (l2 / 2) |W|^2        (|w_j|: Euclidean norm over the targets)
//
// With one target this is the elastic net, with several the multi-task form. Dual point: s R with R the
// residual, s > 0 so small that |s (X_j'R - l2 w_j)| <= l1 for all j; then
//
//   min P >= s <R, Y> - (s^2 / 2) (|R|^2 + l2 |W|^2)                 (Fercoq, Gramfort, Salmon 2015)
#pragma once

#include <algorithm>

#include "core/penalties.hpp"

namespace certus::linear {

// Numbers that P and its dual bound are made of.
struct GapParts {
  double residual_squares = 0.0;  // |R|^2
  double residual_target = 0.0;   // <R, Y>
  double norms = 0.0;             // sum_j |w_j|
  double squares = 0.0;           // |W|^2
  double largest = 0.0;           // max_j |X_j'R - l2 w_j| (with positive: of the positive parts)

  double primal(const BlockPenalty& penalty) const {
    return 0.5 * residual_squares + penalty.l1 * norms + 0.5 * penalty.l2 * squares;
  }
  // The best feasible multiple s of the residual.
  double scale(const BlockPenalty& penalty) const {
    const double size = residual_squares + penalty.l2 * squares;
    const double best = size > 0.0 ? residual_target / size : 0.0;
    const double feasible = largest > 0.0 ? penalty.l1 / largest : best;
    return std::max(0.0, std::min(best, feasible));
  }
  double gap(const BlockPenalty& penalty) const {
    const double s = scale(penalty);
    return primal(penalty) - s * residual_target + 0.5 * s * s * (residual_squares + penalty.l2 * squares);
  }
};

}  // namespace certus::linear
