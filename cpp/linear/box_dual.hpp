// The dual of a ridge-penalized linear machine, in one form for hinge, squared hinge and the
// epsilon-insensitive losses:
//
//   minimize over b   |X'b|^2 / 2 + sum_i [ -t_i b_i + epsilon |b_i| + ridge_i b_i^2 / 2 ],   lower_i <= b_i
//   <= upper_i
//
// with w = X'b. Hinge: t = y, b between 0 and y C. Epsilon-insensitive: t = y, |b| <= C. The squared losses
// have no bound on that side and ridge = 1 / (2 C).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "core/penalties.hpp"
#include "core/view2d.hpp"

namespace certus::linear {

struct BoxDual {
  std::span<const double> target;
  std::span<const double> lower;
  std::span<const double> upper;
  std::span<const double> ridge;
  double epsilon = 0.0;

  Index rows() const { return static_cast<Index>(target.size()); }

  double clip(std::size_t i, double value) const { return std::clamp(value, lower[i], upper[i]); }

  // argmax over b of  b slope - epsilon |b| - curvature (b - center)^2 / 2  inside the box.
  double best(std::size_t i, double slope, double curvature, double center) const {
    return clip(i, soft_threshold(center * curvature + slope, epsilon) / curvature);
  }

  // The loss of a row with score f: max over b of b (t - f) - epsilon |b| - ridge b^2 / 2 inside the box.
  double loss(std::size_t i, double score) const {
    const double slope = target[i] - score;
    double b;
    if (ridge[i] > 0.0) {
      b = best(i, slope, ridge[i], 0.0);
    } else {
      b = slope > epsilon ? upper[i] : (slope < -epsilon ? lower[i] : 0.0);
    }
    return value(i, b) - b * score;
  }

  // t b - epsilon |b| - ridge b^2 / 2, the row's part of the dual value.
  double value(std::size_t i, double b) const {
    return target[i] * b - epsilon * std::abs(b) - 0.5 * ridge[i] * b * b;
  }
};

// Several such problems over one table, one per row of the matrices (one-versus-rest classes).
struct BoxDualFamily {
  View2D<const double> target;
  View2D<const double> lower;
  View2D<const double> upper;
  View2D<const double> ridge;
  double epsilon = 0.0;

  BoxDual member(Index k) const {
    const auto size = static_cast<std::size_t>(target.cols);
    return {{target.row(k), size}, {lower.row(k), size}, {upper.row(k), size}, {ridge.row(k), size}, epsilon};
  }
};

}  // namespace certus::linear
