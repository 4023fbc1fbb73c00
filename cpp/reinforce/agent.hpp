// What learners of decision processes share: how they are asked, how they choose, how long their steps are.
//
// An agent sees a state, answers with an action, sees the reward and the next state, and so on. The value of
// a terminal state is what it pays itself (0 unless rewards are paid for being in states).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rng.hpp"
#include "core/view2d.hpp"

namespace certus::reinforce {

// Which actions a state has: pairs(s, a) >= 0.
using PairsOf = View2D<const std::int32_t>;

enum class ExplorationKind : int { greedy = 0, epsilon_greedy, softmax, optimistic };

// first: epsilon, temperature or the optimistic reward; last, until: epsilon falls linearly to `last` until
// that share of the training is over; visits: how often a pair is tried before it is judged.
struct Exploration {
  ExplorationKind kind = ExplorationKind::greedy;
  double first = 0.0, last = 0.0, until = 1.0;
  std::int64_t visits = 0;

  double epsilon(double progress) const {
    return progress >= until ? last : first + (last - first) * progress / until;
  }
};

enum class StepKind : int { constant = 0, power, linear };

struct StepRule {
  StepKind kind = StepKind::constant;
  double first = 0.1, last = 0.0;

  // `n` counts this visit; progress is the share of the training that is over.
  double length(std::int64_t n, double progress) const {
    if (kind == StepKind::constant) return first;
    if (kind == StepKind::power) return n == 1 ? 1.0 : std::pow(static_cast<double>(n), -first);
    return first + (last - first) * progress;
  }
};

// An action drawn from the probabilities of a policy.
inline std::int32_t draw_action(View2D<const double> policy, Index state, Rng& rng) {
  double left = rng.uniform();
  std::int32_t last = -1;
  for (Index a = 0; a < policy.cols; ++a) {
    if (policy(state, a) <= 0.0) continue;
    last = static_cast<std::int32_t>(a);
    left -= policy(state, a);
    if (left < 0.0) break;
  }
  return last;
}

class Agent {
 public:
  virtual ~Agent() = default;
  // The first action of an episode.
  virtual std::int32_t begin(Index state) = 0;
  // What came of the last action; the next action, or -1 after the end. `value` is that of a terminal state.
  virtual std::int32_t step(double reward, Index next, bool terminated, double value) = 0;

  void set_progress(double progress) { progress_ = progress; }

 protected:
  double progress_ = 0.0;
};

// Chooses by values: the best (ties at random), or another one as the rule says.
class Chooser {
 public:
  Chooser(PairsOf pairs, Exploration rule, Rng& rng) : pairs_(pairs), rule_(rule), rng_(rng) {}

  template <class Value>
  std::int32_t best(Index state, Value&& value) {
    std::int32_t found = -1;
    double most = 0.0;
    std::uint64_t equals = 0;
    for (Index a = 0; a < pairs_.cols; ++a) {
      if (pairs_(state, a) < 0) continue;
      const double here = value(a);
      if (found < 0 || here > most) {
        found = static_cast<std::int32_t>(a), most = here, equals = 1;
      } else if (here == most && rng_.below(++equals) == 0) {
        found = static_cast<std::int32_t>(a);
      }
    }
    return found;
  }

  // value(a): what is known; visits(a): how often it was tried.
  template <class Value, class Visits>
  std::int32_t choose(Index state, double progress, Value&& value, Visits&& visits) {
    switch (rule_.kind) {
      case ExplorationKind::greedy:
        break;
      case ExplorationKind::epsilon_greedy:
        if (rng_.uniform() < rule_.epsilon(progress)) return any(state);
        break;
      case ExplorationKind::softmax:
        return softly(state, value);
      case ExplorationKind::optimistic:
        return best(state, [&](Index a) { return visits(a) < rule_.visits ? rule_.first : value(a); });
    }
    return best(state, value);
  }

 private:
  std::int32_t any(Index state) {
    std::uint64_t count = 0;
    for (Index a = 0; a < pairs_.cols; ++a) count += pairs_(state, a) >= 0;
    std::uint64_t place = rng_.below(count);
    for (Index a = 0; a < pairs_.cols; ++a) {
      if (pairs_(state, a) >= 0 && place-- == 0) return static_cast<std::int32_t>(a);
    }
    return -1;
  }

  template <class Value>
  std::int32_t softly(Index state, Value&& value) {
    double most = -HUGE_VAL, sum = 0.0;
    for (Index a = 0; a < pairs_.cols; ++a) {
      if (pairs_(state, a) >= 0) most = std::max(most, value(a));
    }
    for (Index a = 0; a < pairs_.cols; ++a) {
      if (pairs_(state, a) >= 0) sum += std::exp((value(a) - most) / rule_.first);
    }
    double left = rng_.uniform() * sum;
    std::int32_t last = -1;
    for (Index a = 0; a < pairs_.cols; ++a) {
      if (pairs_(state, a) < 0) continue;
      last = static_cast<std::int32_t>(a);
      left -= std::exp((value(a) - most) / rule_.first);
      if (left < 0.0) break;
    }
    return last;
  }

  PairsOf pairs_;
  Exploration rule_;
  Rng& rng_;
};

}  // namespace certus::reinforce
