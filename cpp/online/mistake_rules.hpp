// Rules that move on mistakes or small margins; equations in linear_stream.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/loss_point.hpp"
#include "online/stream_problem.hpp"

namespace certus::online {

struct Perceptron {
  static constexpr int fields = 2;  // w, and the sum of update times trial
  template <class R>
  static double score(const Problem& p, const R& row) {
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    const bool wrong = y * f <= 0.0;
    p[Numbers::loss] += wrong ? 1.0 : 0.0;
    if (!wrong) return;
    row.add(y, p.vector(0));
    row.add(y * (p[Numbers::trials] - 1.0), p.vector(1));
    p[Numbers::updates] += 1.0;
  }
};

struct Passive {
  static constexpr int fields = 1;
  template <class R>
  static double score(const Problem& p, const R& row) {
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    const LossPoint at = loss_point(p.options.loss, y, f);
    p[Numbers::loss] += at.value;
    const double square = row.square();
    p[Numbers::largest] = std::max(p[Numbers::largest], square);
    if (at.value <= 0.0 || square <= 0.0) return;
    const double cost = p.options.eta;
    const double step =
        p.options.squared ? at.value / (square + 0.5 / cost) : std::min(cost, at.value / square);
    p[Numbers::linear] += at.slope * f;
    p[Numbers::moves] += step * (2.0 * at.value - step * square);
    p[Numbers::squares] += at.value * at.value;
    row.add(at.slope < 0.0 ? step : -step, p.vector(0));
    p[Numbers::updates] += 1.0;
  }
};

struct Winnow {
  static constexpr int fields = 1;
  template <class R>
  static double score(const Problem& p, const R& row) {
    const double f = row.dot(p.vector(0)) - p.options.threshold;
    return f >= 0.0 ? std::max(f, 1e-300) : f;  // at the threshold the row counts as positive
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    if (y * f > 0.0) return;
    p[Numbers::loss] += 1.0;
    p[Numbers::updates] += 1.0;
    p[y > 0.0 ? Numbers::promoted : Numbers::demoted] += 1.0;
    double change = 0.0;
    row.each([&](Index j, double value) {
      double& w = p.vector(0)[j];
      const double before = w;
      w *= value == 1.0 ? (y > 0.0 ? p.options.factor : 1.0 / p.options.factor)
                        : std::pow(p.options.factor, y * value);
      change += w - before;
    });
    p[Numbers::weight] += change;
  }
};

struct Balanced {
  static constexpr int fields = 2;  // 2 sinh(G), G
  template <class R>
  static double score(const Problem& p, const R& row) {
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    if (y * f > 0.0) return;
    p[Numbers::loss] += 1.0;
    p[Numbers::updates] += 1.0;
    const double step = y * std::log(p.options.factor);
    row.each([&](Index j, double value) {
      double& total = p.vector(1)[j];
      total = std::clamp(total + step * value, -largest_log, largest_log);
      p.vector(0)[j] = 2.0 * std::sinh(total);
    });
  }
};

inline double squared_length(const double* w, Index n) {
  double sum = 0.0;
  for (Index j = 0; j < n; ++j) sum += w[j] * w[j];
  return sum;
}

// What the two seekers of a large margin share: a mistake is counted, whether or not it is stepped on.
inline bool count_mistake(const Problem& p, double margin) {
  const bool wrong = margin <= 0.0;
  p[Numbers::loss] += wrong ? 1.0 : 0.0;
  return wrong;
}

struct Alma {
  static constexpr int fields = 1;
  template <class R>
  static double score(const Problem& p, const R& row) {
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    count_mistake(p, y * f);
    const double length = std::sqrt(row.square()), root = std::sqrt(p[Numbers::updates] + 1.0);
    if (length <= 0.0 || y * f > (1.0 - p.options.threshold) * p.options.factor / root * length) return;
    double* w = p.vector(0);
    row.add(std::sqrt(2.0) / root * y / length, w);
    const double norm = std::sqrt(squared_length(w, p.stride));
    for (Index j = 0; norm > 1.0 && j < p.stride; ++j) w[j] /= norm;
    p[Numbers::updates] += 1.0;
  }
};

struct Romma {
  static constexpr int fields = 1;
  template <class R>
  static double score(const Problem& p, const R& row) {
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    const bool wrong = count_mistake(p, y * f);
    const double length = row.square();
    if (length <= 0.0 || !(wrong || (p.options.squared && y * f < 1.0))) return;
    double* w = p.vector(0);
    const double norm = squared_length(w, p.stride), area = length * norm - f * f;
    // Whether the row alone decides: the shortest w with y w.x = 1 is in the half-space already.
    const bool alone = area <= 1e-12 * length * norm || length * norm <= y * f;
    const double keep = alone ? 0.0 : (length * norm - y * f) / area;
    for (Index j = 0; j < p.stride; ++j) w[j] *= keep;
    row.add(alone ? y / length : norm * (y - f) / area, w);
    p[Numbers::updates] += 1.0;
  }
};

}  // namespace certus::online
