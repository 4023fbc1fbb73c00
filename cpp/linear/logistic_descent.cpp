#include "linear/logistic_descent.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/losses.hpp"
#include "core/rng.hpp"

namespace certus::linear {
namespace {

double share_of(double t) { return losses::Logistic(0.0, t, 0.0).probability(); }

// The root t of t + slope + square * share(t) = 0, which rises at least as fast as t: Newton steps that stay
// between the ends of what is known.
double root(double slope, double square, double t) {
  double low = -slope - square, high = -slope;
  t = std::clamp(t, low, high);
  for (int step = 0; step < 60; ++step) {
    const double share = share_of(t);
    const double value = t + slope + square * share;
    (value > 0.0 ? high : low) = t;
    const double next = t - value / (1.0 + square * share * (1.0 - share));
    const double inside = next > low && next < high ? next : 0.5 * (low + high);
    if (std::abs(inside - t) <= 1e-14 * (1.0 + std::abs(t))) return inside;
    t = inside;
  }
  return t;
}

}  // namespace

template <class Rows>
LogisticDescentResult logistic_descent(const Rows& x, std::span<const double> signs,
                                       std::span<const double> weights, const LogisticDescentRule& rule,
                                       StopToken& stop, std::span<double> multipliers, std::span<double> w) {
  std::vector<Index> order;
  std::vector<double> squares(static_cast<std::size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (weights[at] > 0.0) order.push_back(i);
    squares[at] = x.square(i) * weights[at] / rule.strength;
  }
  Rng rng(rule.seed, rule.stage);
  LogisticDescentResult result;
  while (result.passes < rule.max_passes && !stop.requested()) {
    rng.shuffle(order.begin(), order.end());
    double largest = 0.0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if ((k & 255) == 0 && stop.poll()) return result;
      const Index row = order[k];
      const auto i = static_cast<std::size_t>(row);
      const double share = multipliers[i] / weights[i];
      const double t = std::log(share) - std::log1p(-share);
      const double score = signs[i] * x.dot(row, w.data());
      largest = std::max(largest, std::abs(score + t));
      const double next = weights[i] * share_of(root(score - squares[i] * share, squares[i], t));
      // A share that rounds to 0 or 1 would have no logarithm: the nearest one that has is as good.
      const double inside = std::clamp(next, weights[i] * 1e-300, weights[i] * (1.0 - 1e-16));
      x.add(row, signs[i] * (inside - multipliers[i]) / rule.strength, w.data());
      multipliers[i] = inside;
    }
    ++result.passes;
    if (largest < rule.tol) {
      result.converged = true;
      break;
    }
  }
  return result;
}

#define CERTUS_INSTANTIATE(Rows)                                                                             \
  template LogisticDescentResult logistic_descent<Rows>(const Rows&, std::span<const double>,                \
                                                        std::span<const double>, const LogisticDescentRule&, \
                                                        StopToken&, std::span<double>, std::span<double>);
CERTUS_FOR_EVERY_TABLE(CERTUS_INSTANTIATE)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
