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

// The same in a metric with a bend per entry: the minimizer of sum_k bend_k w_k^2 / 2 - z'w + l1 |w|
// overwrites z. With rho = |w| it is w_k = z_k rho / (bend_k rho + l1) where phi(rho) = sum_k z_k^2 / (bend_k
// rho + l1)^2 = 1; Newton steps on 1 / sqrt(phi), which is concave and rises, come from the left. False if
// there is no minimizer.
inline bool shrink_scaled(double* z, const double* bend, Index entries, double l1) {
  double square = 0.0, steepest = 0.0;
  for (Index k = 0; k < entries; ++k) square += z[k] * z[k], steepest = std::max(steepest, bend[k]);
  if (square <= l1 * l1 && l1 > 0.0) {
    std::fill(z, z + entries, 0.0);
    return true;
  }
  if (steepest <= 0.0) return false;
  if (entries == 1 || l1 == 0.0) {
    for (Index k = 0; k < entries; ++k) {
      z[k] = bend[k] > 0.0 ? (z[k] - std::copysign(l1, z[k])) / bend[k] : 0.0;
    }
    return true;
  }
  double rho = 0.0;
  for (int step = 0; step < 100; ++step) {
    double phi = 0.0, fall = 0.0;
    for (Index k = 0; k < entries; ++k) {
      const double below = bend[k] * rho + l1, part = z[k] / below;
      phi += part * part;
      fall += part * part * bend[k] / below;
    }
    if (!(phi > 1.0) || fall <= 0.0) break;
    const double change = (1.0 - 1.0 / std::sqrt(phi)) * phi * std::sqrt(phi) / fall;
    rho += change;
    if (change <= 1e-15 * rho) break;
  }
  for (Index k = 0; k < entries; ++k) z[k] *= rho / (bend[k] * rho + l1);
  return true;
}

}  // namespace certus
