// Losses l(y, f) of a target y and a score f: the native twins of certus.losses, for all kernels that need
// one.
//
// A struct per loss is made from (y, f, parameter), which computes what its parts share, and has value(),
// slope() (the derivative in f) and curvature() (the second derivative where it exists). Values leave out
// terms that do not depend on f.
//
//   squared             (f - y)^2 / 2                     hinge               (1 - y f)_+
//   absolute            |f - y|                           squared_hinge       (1 - y f)_+^2
//   quantile            (y - f)(q - [y < f])              perceptron          (-y f)_+
//   huber               r^2 / 2, linear from delta on     modified_huber      (1 - y f)_+^2, linear below -1
//   epsilon_insensitive (|f - y| - eps)_+, or squared     logistic            log(1 + e^f) - y f
//   tweedie             mu^(2-p)/(2-p) - y mu^(1-p)/(1-p), mu = e^f (poisson: p = 1, gamma: p = 2); or mu = f
//   multinomial         log sum_k e^{f_k} - f_y
//
// Labels are -1 and 1, but 0 and 1 (or a probability) for logistic and the number of a class for multinomial.
// All but tweedie, poisson and gamma never overflow for finite scores.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/view2d.hpp"

// DO(name, struct) for every loss of one score.
#define CERTUS_FOR_EVERY_LOSS(DO)                            \
  DO(squared, Squared)                                       \
  DO(absolute, Absolute)                                     \
  DO(quantile, Quantile)                                     \
  DO(huber, Huber)                                           \
  DO(epsilon_insensitive, EpsilonInsensitive)                \
  DO(squared_epsilon_insensitive, SquaredEpsilonInsensitive) \
  DO(hinge, Hinge)                                           \
  DO(squared_hinge, SquaredHinge)                            \
  DO(perceptron, Perceptron)                                 \
  DO(modified_huber, ModifiedHuber)                          \
  DO(logistic, Logistic)                                     \
  DO(poisson, Poisson)                                       \
  DO(gamma, Gamma)                                           \
  DO(tweedie, Tweedie)                                       \
  DO(tweedie_identity, TweedieIdentity)

namespace certus {

#define CERTUS_NAME(name, type) name,
enum class LossKind : int { CERTUS_FOR_EVERY_LOSS(CERTUS_NAME) multinomial };
#undef CERTUS_NAME

#define CERTUS_NAME(name, type) #name,
inline constexpr std::array loss_names{CERTUS_FOR_EVERY_LOSS(CERTUS_NAME) "multinomial"};
#undef CERTUS_NAME

struct Loss {
  LossKind kind = LossKind::squared;
  double parameter = 0.0;  // epsilon, delta, a quantile or a power
};

namespace losses {

struct Squared {
  double residual;
  Squared(double y, double f, double) : residual(f - y) {}
  double value() const { return 0.5 * residual * residual; }
  double slope() const { return residual; }
  double curvature() const { return 1.0; }
};

struct Absolute {
  double residual;
  Absolute(double y, double f, double) : residual(f - y) {}
  double value() const { return std::abs(residual); }
  double slope() const { return residual > 0.0 ? 1.0 : -1.0; }
  double curvature() const { return 0.0; }
};

struct Quantile {
  double residual, q;
  Quantile(double y, double f, double share) : residual(f - y), q(share) {}
  double value() const { return residual > 0.0 ? (1.0 - q) * residual : -q * residual; }
  double slope() const { return residual > 0.0 ? 1.0 - q : -q; }
  double curvature() const { return 0.0; }
};

struct Huber {
  double residual, delta;
  Huber(double y, double f, double border) : residual(f - y), delta(border) {}
  bool inside() const { return std::abs(residual) <= delta; }
  double value() const {
    return inside() ? 0.5 * residual * residual : delta * (std::abs(residual) - 0.5 * delta);
  }
  double slope() const { return inside() ? residual : std::copysign(delta, residual); }
  double curvature() const { return inside() ? 1.0 : 0.0; }
};

struct EpsilonInsensitive {
  double residual, excess;
  EpsilonInsensitive(double y, double f, double epsilon)
      : residual(f - y), excess(std::max(std::abs(residual) - epsilon, 0.0)) {}
  double value() const { return excess; }
  double slope() const { return excess > 0.0 ? std::copysign(1.0, residual) : 0.0; }
  double curvature() const { return 0.0; }
};

struct SquaredEpsilonInsensitive : EpsilonInsensitive {
  using EpsilonInsensitive::EpsilonInsensitive;
  double value() const { return excess * excess; }
  double slope() const { return std::copysign(2.0 * excess, residual); }
  double curvature() const { return excess > 0.0 ? 2.0 : 0.0; }
};

struct Hinge {
  double y, slack;
  Hinge(double label, double f, double) : y(label), slack(1.0 - label * f) {}
  double value() const { return std::max(slack, 0.0); }
  double slope() const { return slack >= 0.0 ? -y : 0.0; }
  double curvature() const { return 0.0; }
};

struct SquaredHinge {
  double y, slack;
  SquaredHinge(double label, double f, double) : y(label), slack(std::max(1.0 - label * f, 0.0)) {}
  double value() const { return slack * slack; }
  double slope() const { return -2.0 * y * slack; }
  double curvature() const { return slack > 0.0 ? 2.0 : 0.0; }
};

struct Perceptron {
  double y, margin;
  Perceptron(double label, double f, double) : y(label), margin(label * f) {}
  double value() const { return std::max(-margin, 0.0); }
  double slope() const { return margin <= 0.0 ? -y : 0.0; }
  double curvature() const { return 0.0; }
};

struct ModifiedHuber {
  double y, margin;
  ModifiedHuber(double label, double f, double) : y(label), margin(label * f) {}
  double slack() const { return std::clamp(1.0 - margin, 0.0, 2.0); }
  double value() const { return margin >= -1.0 ? slack() * slack() : -4.0 * margin; }
  double slope() const { return -2.0 * y * slack(); }
  double curvature() const { return std::abs(margin) < 1.0 ? 2.0 : 0.0; }
};

// log(1 + x) for x in [0, 1]: the logarithm of the rounded sum, put right by what the rounding took.
inline double log_of_one_and(double x) noexcept {
  const double sum = 1.0 + x;
  return std::log(sum) + (x - (sum - 1.0)) / sum;
}

struct Logistic {
  double y, f;
  double decay;    // e^-|f|, which never overflows
  double likely;   // probability of the likelier class
  double smaller;  // and of the other
  Logistic(double label, double score, double)
      : y(label),
        f(score),
        decay(std::exp(-std::abs(score))),
        likely(1.0 / (1.0 + decay)),
        smaller(decay * likely) {}
  double value() const { return std::max(f, 0.0) - y * f + log_of_one_and(decay); }
  // For y = 1 and a large score the probability minus 1 cancels; the smaller probability is exact.
  double slope() const { return f >= 0.0 ? (1.0 - y) - smaller : smaller - y; }
  double curvature() const { return smaller * likely; }
  double probability() const { return f >= 0.0 ? likely : smaller; }  // of the class 1
};

struct Poisson {
  double y, f, mean;
  Poisson(double target, double score, double) : y(target), f(score), mean(std::exp(score)) {}
  double value() const { return mean - y * f; }
  double slope() const { return mean - y; }
  double curvature() const { return mean; }
};

struct Gamma {
  double f, ratio;
  Gamma(double target, double score, double) : f(score), ratio(target * std::exp(-score)) {}
  double value() const { return f + ratio; }
  double slope() const { return 1.0 - ratio; }
  double curvature() const { return ratio; }
};

struct Tweedie {
  double y, f, power;
  double rising, falling;  // the two parts of the slope
  Tweedie(double target, double score, double p)
      : y(target),
        f(score),
        power(p),
        rising(std::exp((2.0 - p) * score)),
        falling(target * std::exp((1.0 - p) * score)) {}
  double value() const {
    return (power == 2.0 ? f : rising / (2.0 - power)) - (power == 1.0 ? y * f : falling / (1.0 - power));
  }
  double slope() const { return rising - falling; }
  double curvature() const { return (2.0 - power) * rising - (1.0 - power) * falling; }
};

// Infinite where the mean f is not positive, unless the power is 0.
struct TweedieIdentity {
  double y, f, power, variance;
  TweedieIdentity(double target, double score, double p)
      : y(target), f(score), power(p), variance(std::pow(score, p)) {}
  double value() const {
    if (power == 0.0) return f * (0.5 * f - y);
    if (f <= 0.0) return std::numeric_limits<double>::infinity();
    const double rising = power == 2.0 ? std::log(f) : f * f / variance / (2.0 - power);
    const double falling = power == 1.0 ? std::log(f) : f / variance / (1.0 - power);
    return rising - (y == 0.0 ? 0.0 : y * falling);
  }
  double slope() const { return (f - y) / variance; }
  double curvature() const { return power == 0.0 ? 1.0 : ((1.0 - power) * f + power * y) / (variance * f); }
};

struct Exponentials {
  double largest;  // score
  double total;    // of e^{f_k - largest}
};

// Multinomial: scores f_k become e^{f_k - largest}. `score(k)` and `out(k)` give references.
template <class Score, class Out>
Exponentials exponentials(Index classes, Score&& score, Out&& out) {
  double largest = score(0), total = 0.0;
  for (Index k = 1; k < classes; ++k) largest = std::max(largest, static_cast<double>(score(k)));
  for (Index k = 0; k < classes; ++k) total += out(k) = std::exp(score(k) - largest);
  return {largest, total};
}

template <class L>
struct Tag {
  using type = L;
};

}  // namespace losses

// f(losses::Tag<L>{}) for the struct L of a loss with one score; `multinomial` is the caller's own case.
template <class F>
auto with_loss(LossKind kind, F&& f) {
  switch (kind) {
#define CERTUS_CASE(name, type) \
  case LossKind::name:          \
    return f(losses::Tag<losses::type>{});
    CERTUS_FOR_EVERY_LOSS(CERTUS_CASE)
#undef CERTUS_CASE
    default:
      return f(losses::Tag<losses::Squared>{});
  }
}

// The loss of a name in `loss_names`; the names are those of the losses in Python.
inline bool find_loss(std::string_view name, LossKind& kind) noexcept {
  const auto found = std::find(loss_names.begin(), loss_names.end(), name);
  kind = static_cast<LossKind>(found - loss_names.begin());
  return found != loss_names.end();
}

}  // namespace certus
