// The penalty of a block w of coefficients: the native twin of certus.losses' penalties.
//
//   l1 |w| + (l2 / 2) |w|^2        |w|: Euclidean norm; with `positive`, infinite where an entry is negative
//
// A block of one coefficient makes L1, ridge, the elastic net and non-negative coefficients; one coefficient
// per target makes the multi-task penalty; several columns make the group lasso, with the group's weight in
// l1.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/view2d.hpp"

namespace certus {

struct BlockPenalty {
  double l1 = 0.0;
  double l2 = 0.0;
  bool positive = false;  // blocks of one coefficient only
};

// A value moved towards 0 by an amount, and not past it.
inline double soft_threshold(double value, double by) {
  if (value > by) return value - by;
  return value < -by ? value + by : 0.0;
}

// |w|; the entries are `stride` apart.
inline double block_norm(const double* w, Index entries, Index stride) {
  if (entries == 1) return std::abs(w[0]);
  double sum = 0.0;
  for (Index t = 0; t < entries; ++t) sum += w[t * stride] * w[t * stride];
  return std::sqrt(sum);
}

// |slope - l2 w|, what feasibility of a dual point asks to be at most l1 where `slope` is minus the gradient
// of the loss.
inline double dual_size(const double* slope, const double* w, Index entries, Index stride,
                        const BlockPenalty& penalty) {
  if (entries == 1) {
    const double value = slope[0] - penalty.l2 * w[0];
    return penalty.positive ? std::max(value, 0.0) : std::abs(value);
  }
  double sum = 0.0;
  for (Index t = 0; t < entries; ++t) {
    const double value = slope[t * stride] - penalty.l2 * w[t * stride];
    sum += value * value;
  }
  return std::sqrt(sum);
}

// The proximal map: the minimizer of bend/2 |w|^2 - z'w + l1 |w| (bend includes l2) overwrites z.
inline void shrink(double* z, Index entries, double bend, const BlockPenalty& penalty) {
  if (entries == 1) {
    const double size = penalty.positive ? z[0] : std::abs(z[0]);
    z[0] = size > penalty.l1 ? std::copysign(size - penalty.l1, z[0]) / bend : 0.0;
    return;
  }
  const double size = block_norm(z, entries, 1);
  const double factor = size > penalty.l1 ? (1.0 - penalty.l1 / size) / bend : 0.0;
  for (Index t = 0; t < entries; ++t) z[t] *= factor;
}

}  // namespace certus
