// Rules that move against the gradient of a loss, in several geometries; equations in linear_stream.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/loss_point.hpp"
#include "online/adaptive_ops.hpp"
#include "online/factor_update.hpp"
#include "online/stream_problem.hpp"

namespace certus::online {

// What the three geometries of gradient steps share: the account, and whether there is a step.
template <class R>
double slope_of(const Problem& p, const R&, double y, double f) {
  const LossPoint at = loss_point(p.options.loss, y, f);
  p[Numbers::loss] += p.share * at.value;
  if (p.options.conservative && y * f > 0.0) return 0.0;
  const double steep = p.share * at.slope, slope = std::clamp(steep, -steepest, steepest);
  if (slope != steep) p[Numbers::cut] = 1.0;
  if (slope != 0.0) {
    p[Numbers::linear] += slope * f;
    p[Numbers::updates] += 1.0;
  }
  return slope;
}

struct Gradient {
  static constexpr int fields = 2;  // w, sum of gradients
  template <class R>
  static double score(const Problem& p, const R& row) {
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    const double slope = slope_of(p, row, y, f);
    if (slope == 0.0) return;
    const double square = slope * slope * row.square();
    p[Numbers::squares] += square;
    row.add(-p.options.eta * slope, p.vector(0));
    row.add(slope, p.vector(1));
  }
};

struct Adaptive {
  static constexpr int fields = 4;  // as AdaptiveColumns

  static AdaptiveColumns columns(const Problem& p) {
    return {p.vector(0), p.vector(1), p.vector(2), p.vector(3)};
  }
  static double astray(double c) { return c * (1.0 - c) / (1.0 + c); }
  // Limits shrink when a column grows, and coefficients with them, so that their part of the score keeps its
  // size (Ross, Mineiro, Langford 2013). The step towards 0 may lead away from the best u, |u_j| <= now:
  // (c w - u)^2 - (w - u)^2 <= u^2 (1 - c) / (1 + c) for c = now / before.
  static void shrink(const Problem& p, Index j, double value) {
    const AdaptiveColumns c = columns(p);
    const double before = c.limit[j], size = std::abs(value);
    if (size * before <= p.options.radius * (1.0 + 1e-15)) return;
    const double now = p.options.radius / size, root = std::sqrt(c.squares[j]);
    if (root > 0.0) {
      p[Numbers::jumps] += root * (before - now * (now / before) + 0.25 * astray(now / before) * now);
      p[Numbers::falls] += root * (before - now);
    }
    c.limit[j] = now;
    c.w[j] *= now / before;
  }
  template <class Rows>
  static double score(const Problem& p, const Row<Rows>& row) {
    if constexpr (std::is_same_v<Rows, DenseRows>) {
      const double* x = row.x.values(row.at);
      if (adaptive_ops().outgrown(x, p.vector(1), p.options.radius, row.x.cols())) {
        for (Index j = 0; j < row.x.cols(); ++j) shrink(p, j, x[j]);
      }
      if (row.x.constant() != 0.0) shrink(p, row.x.cols(), row.x.constant());
    } else {
      row.each([&](Index j, double value) { shrink(p, j, value); });
    }
    return row.dot(p.vector(0));
  }
  // A target beyond the unit: a larger unit, a power of two, and an account that begins anew.
  static void enlarge(const Problem& p, double size) {
    p[Numbers::unit] = std::exp2(std::ceil(std::log2(size)));
    std::fill(p.vector(2), p.vector(2) + 2 * p.stride, 0.0);
    p[Numbers::linear] = p[Numbers::jumps] = p[Numbers::falls] = 0.0;
    p[Numbers::before] = p[Numbers::loss];
    p[Numbers::since] = p[Numbers::trials];
  }
  // The score with coefficients as `score` would shrink them.
  template <class Rows>
  static double peek(const Problem& p, const Row<Rows>& row) {
    const AdaptiveColumns c = columns(p);
    const double radius = p.options.radius;
    std::vector<double> cut;
    row.each([&](Index j, double value) {
      const double size = std::abs(value);
      if (c.w[j] == 0.0 || size * c.limit[j] <= radius * (1.0 + 1e-15)) return;
      if (cut.empty()) cut.assign(c.w, c.w + p.stride);
      cut[static_cast<std::size_t>(j)] = c.w[j] * (radius / size / c.limit[j]);
    });
    return row.dot(cut.empty() ? c.w : cut.data());
  }
  template <class Rows>
  static void learn(const Problem& p, const Row<Rows>& row, double y, double f) {
    if (!p.options.classifies && std::abs(y) > p[Numbers::unit]) enlarge(p, std::abs(y));
    const double slope = slope_of(p, row, y, f);
    if (slope == 0.0) return;
    const double unit = p[Numbers::unit];
    const AdaptiveStep by{slope, unit * (p.options.eta / p.options.radius), unit};
    AdaptiveColumns to = columns(p);
    if constexpr (std::is_same_v<Rows, DenseRows>) {
      adaptive_ops().step(row.x.values(row.at), by, to, row.x.cols());
    } else {
      adaptive_ops().step_entries(row.x.values(row.at), row.x.columns(row.at), by, to, row.x.count(row.at));
    }
    if (row.x.constant() != 0.0) {
      const auto last = static_cast<std::int32_t>(row.x.cols());
      const double one = row.x.constant();
      adaptive_ops().step_entries(&one, &last, by, to, 1);
    }
  }
};

struct Entropic {
  static constexpr int fields =
      2;  // sinh(-a G), G; both sums are divided by e^shift only while they are made
  template <class R>
  static double score(const Problem& p, const R& row) {
    const double total = p[Numbers::weight];
    return total > 0.0 ? p.options.radius * (row.dot(p.vector(0)) / total) : 0.0;
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    const double slope = slope_of(p, row, y, f);
    if (slope == 0.0) return;
    double steep = 0.0;
    row.each([&](Index j, double value) {
      steep = std::max(steep, std::abs(value));
      p.vector(1)[j] += slope * value;
    });
    steep *= std::abs(slope);
    p[Numbers::squares] += steep * steep;
    const double rate = rate_now(p);
    const double played = p[Numbers::rate] > 0.0 ? p[Numbers::rate] : rate;
    p[Numbers::moves] += played * steep * steep;
    if (rate > 0.0) weigh(p, rate);
    p[Numbers::rate] = rate;
  }

  // a = eta radius; or sqrt(log(2n)) over the root of the sum of squares, rounded up to a power of four.
  static double rate_now(const Problem& p) {
    if (p.options.eta > 0.0) return p.options.eta * p.options.radius;
    if (p[Numbers::squares] <= 0.0) return 0.0;
    const double ceiling = std::exp2(2.0 * std::ceil(0.5 * std::log2(p[Numbers::squares])));
    return std::sqrt(std::log(2.0 * static_cast<double>(p.stride)) / ceiling);
  }

  static void weigh(const Problem& p, double rate) {
    double* w = p.vector(0);
    const double* total = p.vector(1);
    double largest = 0.0, sum = 0.0;
    for (Index j = 0; j < p.stride; ++j) largest = std::max(largest, rate * std::abs(total[j]));
    const double shift = std::max(0.0, largest - largest_log);
    for (Index j = 0; j < p.stride; ++j) {
      const double up = std::exp(rate * total[j] - shift), down = std::exp(-rate * total[j] - shift);
      w[j] = 0.5 * (down - up);
      sum += 0.5 * (down + up);
    }
    p[Numbers::weight] = sum;
  }
};

struct Newton {
  static constexpr int fields = 3;  // w, A^-1 g, sum of gradients
  template <class R>
  static double score(const Problem& p, const R& row) {
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    const double slope = slope_of(p, row, y, f);
    if (slope == 0.0) return;
    p[Numbers::squares] += slope * slope * row.square();
    row.add(slope, p.vector(2));
    double* step = p.vector(1);
    std::fill(step, step + p.stride, 0.0);
    row.add(slope, step);
    add_to_factor(p.matrix, step);
    std::fill(step, step + p.stride, 0.0);
    row.add(slope, step);
    solve_factored(p.matrix, step);
    p[Numbers::moves] += slope * row.dot(step);
    for (Index j = 0; j < p.stride; ++j) p.vector(0)[j] -= step[j] / p.options.factor;
  }
};

struct Forward {
  static constexpr int fields = 3;  // w, workspace, sum of y x
  template <class R>
  static double score(const Problem& p, const R& row) {
    double* v = p.vector(1);
    std::fill(v, v + p.stride, 0.0);
    row.add(1.0, v);
    add_to_factor(p.matrix, v);
    std::copy(p.vector(2), p.vector(2) + p.stride, p.vector(0));
    solve_factored(p.matrix, p.vector(0));
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    p[Numbers::loss] += (y - f) * (y - f);
    p[Numbers::targets] += y * y;
    p[Numbers::target] = std::max(p[Numbers::target], std::abs(y));
    p[Numbers::updates] += 1.0;
    row.add(y, p.vector(2));
  }
};

// Divergences of phi(w) = w ln w - w and of phi(w) = w asinh(w / b) - sqrt(w^2 + b^2), which is about |w| ln
// |w|.
struct Mirror {
  static constexpr int fields = 2;  // w, sum of gradients
  template <class R>
  static double score(const Problem& p, const R& row) {
    return row.dot(p.vector(0));
  }
  template <class R>
  static void learn(const Problem& p, const R& row, double y, double f) {
    const double slope = slope_of(p, row, y, f);
    if (slope == 0.0) return;
    const double scale = p.options.factor;
    row.each([&](Index j, double value) {
      double& total = p.vector(1)[j];
      total += slope * value;
      const double dual = std::clamp(-p.options.eta * total, -largest_log, largest_log);
      double& w = p.vector(0)[j];
      const double before = w;
      w = scale * (p.options.squared ? std::sinh(dual) : std::exp(dual));
      p[Numbers::moves] += divergence(before, w, dual, scale, p.options.squared);
    });
  }
  // D(from, to), where `dual` is phi'(to).
  static double divergence(double from, double to, double dual, double scale, bool both_signs) {
    if (!both_signs) return (from > 0.0 ? from * (std::log(from / scale) - dual) : 0.0) - from + to;
    return from * (std::asinh(from / scale) - dual) - std::hypot(from, scale) + std::hypot(to, scale);
  }
};

}  // namespace certus::online
