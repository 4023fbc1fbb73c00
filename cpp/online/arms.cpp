#include "online/arms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/rng.hpp"

namespace certus::online {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double divergence(double p, double q) {
  double sum = 0.0;
  if (p > 0.0) sum += p * std::log(p / q);
  if (p < 1.0) sum += (1.0 - p) * std::log((1.0 - p) / (1.0 - q));
  return sum;
}

// The largest mean with n kl(observed, mean) <= level; the upper end of the last interval.
double kl_upper(double observed, double n, double level) {
  if (observed >= 1.0) return 1.0;
  double low = observed, high = 1.0;
  for (int step = 0; step < 50 && high - low > 1e-12; ++step) {
    const double middle = 0.5 * (low + high);
    (n * divergence(observed, middle) > level ? high : low) = middle;
  }
  return high;
}

// Gamma(shape) by Marsaglia and Tsang (2000), shape >= 1.
double gamma_draw(double shape, Rng& rng) {
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double z = rng.normal();
    const double v = (1.0 + c * z) * (1.0 + c * z) * (1.0 + c * z);
    if (v > 0.0 && std::log(1.0 - rng.uniform()) < 0.5 * z * z + d - d * v + d * std::log(v)) return d * v;
  }
}

class Chooser {
 public:
  Chooser(const ArmRule& rule, const ArmState& state, std::int64_t number)
      : rule_(rule),
        state_(state),
        number_(number),
        arms_(static_cast<Index>(state.counts.size())),
        rng_(rule.seed, static_cast<std::uint64_t>(number)) {}

  Choice choose() {
    if (rule_.kind == ArmKind::exp3 || rule_.kind == ArmKind::exp3_ix) return by_weight();
    const Index unseen = fewest_chosen_unseen();
    if (unseen >= 0 && rule_.kind != ArmKind::thompson) return {unseen, 1.0};
    if (rule_.kind == ArmKind::elimination) return {by_turns(), 1.0};
    if (rule_.kind == ArmKind::epsilon_greedy && explores()) return {any(), 1.0};
    return {best(), 1.0};
  }

 private:
  bool open(Index arm) const { return state_.present[arm] != 0; }

  // An arm without rewards so far: the one that was asked least often.
  Index fewest_chosen_unseen() const {
    Index found = -1;
    for (Index i = 0; i < arms_; ++i) {
      if (!open(i) || state_.counts[i] > 0) continue;
      if (found < 0 || state_.chosen[i] < state_.chosen[found]) found = i;
    }
    return found;
  }

  bool explores() {
    double epsilon = rule_.parameter;
    if (rule_.decays) {
      epsilon = std::min(1.0, epsilon * static_cast<double>(arms_) / static_cast<double>(number_ + 1));
    }
    return rng_.uniform() < epsilon;
  }

  Index any() {
    std::uint64_t place = rng_.below(static_cast<std::uint64_t>(
        std::count(state_.present.begin(), state_.present.end(), std::uint8_t{1})));
    Index arm = 0;
    while (!open(arm) || place-- > 0) ++arm;
    return arm;
  }

  Index best() {
    std::int64_t seen = 0;
    for (Index i = 0; i < arms_; ++i) seen += state_.counts[i];
    const double log_time = std::log(static_cast<double>(std::max<std::int64_t>(seen, 1)));
    Index found = -1;
    double highest = -infinity;
    for (Index i = 0; i < arms_; ++i) {
      if (!open(i)) continue;
      const double index = index_of(i, log_time);
      if (found < 0 || index > highest) {
        found = i;
        highest = index;
      }
    }
    return found;
  }

  double index_of(Index arm, double log_time) {
    const auto n = static_cast<double>(state_.counts[arm]);
    if (rule_.kind == ArmKind::thompson) {
      const double good = gamma_draw(1.0 + state_.sums[arm], rng_);
      const double bad = gamma_draw(1.0 + std::max(0.0, n - state_.sums[arm]), rng_);
      return good / (good + bad);
    }
    const double mean = state_.sums[arm] / n;
    if (rule_.kind == ArmKind::ucb1) return mean + std::sqrt(2.0 * log_time / n);
    if (rule_.kind == ArmKind::kl_ucb) return kl_upper(std::clamp(mean, 0.0, 1.0), n, log_time);
    return mean;
  }

  // Every arm that is left in turn; after each round those below the best lower bound are dropped.
  Index by_turns() {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max(), most = 0;
    for (Index i = 0; i < arms_; ++i) {
      if (!open(i) || !state_.left[i]) continue;
      fewest = std::min(fewest, state_.counts[i]);
      most = std::max(most, state_.counts[i]);
    }
    if (fewest == most) eliminate();
    Index found = -1;
    for (Index i = 0; i < arms_; ++i) {
      if (open(i) && state_.left[i] && (found < 0 || state_.chosen[i] < state_.chosen[found])) found = i;
    }
    return found >= 0 ? found : best();
  }

  void eliminate() {
    double floor = -infinity;
    for (Index i = 0; i < arms_; ++i) {
      if (open(i) && state_.left[i]) floor = std::max(floor, mean(i) - radius(i));
    }
    for (Index i = 0; i < arms_; ++i) {
      if (state_.left[i] && mean(i) + radius(i) < floor) state_.left[i] = 0;
    }
  }

  double mean(Index arm) const { return state_.sums[arm] / static_cast<double>(state_.counts[arm]); }

  // sqrt(ln(pi^2 K n^2 / (3 delta)) / (2n)): all n and all arms together fail with probability delta at most.
  double radius(Index arm) const {
    const auto n = static_cast<double>(state_.counts[arm]);
    const double pi = std::numbers::pi;
    const double level = std::log(pi * pi * static_cast<double>(arms_) * n * n / (3.0 * rule_.parameter));
    return std::sqrt(level / (2.0 * n));
  }

  Choice by_weight() {
    double least = infinity;
    for (Index i = 0; i < arms_; ++i) {
      if (open(i)) least = std::min(least, state_.scores[i]);
    }
    std::vector<double> weights(static_cast<std::size_t>(arms_), 0.0);
    double total = 0.0;
    for (Index i = 0; i < arms_; ++i) {
      if (open(i)) weights[i] = std::exp(rule_.parameter * (least - state_.scores[i]));
      total += weights[i];
    }
    double left = rng_.uniform() * total;
    Index found = 0;
    for (Index i = 0; i < arms_; ++i) {
      if (weights[i] <= 0.0) continue;
      found = i;
      left -= weights[i];
      if (left < 0.0) break;
    }
    return {found, weights[found] / total};
  }

  const ArmRule& rule_;
  const ArmState& state_;
  std::int64_t number_;
  Index arms_;
  Rng rng_;
};

}  // namespace

Choice choose_arm(const ArmRule& rule, const ArmState& state, std::int64_t number) {
  const Choice choice = Chooser(rule, state, number).choose();
  state.chosen[choice.arm] += 1;
  return choice;
}

void reward_arm(const ArmRule& rule, const ArmState& state, Index arm, double reward, double probability) {
  state.counts[arm] += 1;
  state.sums[arm] += reward;
  if (rule.kind == ArmKind::exp3) state.scores[arm] += (1.0 - reward) / probability;
  if (rule.kind == ArmKind::exp3_ix) {
    state.scores[arm] += (1.0 - reward) / (probability + 0.5 * rule.parameter);
  }
}

void run_arms(View2D<const double> rewards, const ArmRule& rule, const ArmState& state, std::int64_t first,
              std::span<std::int64_t> arms, std::span<double> probabilities, StopToken& stop) {
  for (Index t = 0; t < rewards.rows && !stop.poll(); ++t) {
    const Choice choice = choose_arm(rule, state, first + t);
    reward_arm(rule, state, choice.arm, rewards(t, choice.arm), choice.probability);
    arms[t] = choice.arm;
    probabilities[t] = choice.probability;
  }
}

}  // namespace certus::online
