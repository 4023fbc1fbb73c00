#include "reinforce/model_agent.hpp"

#include <algorithm>
#include <cmath>

namespace certus::reinforce {

std::int32_t ModelAgent::choose(Index state) {
  if (policy_.data != nullptr) return draw_action(policy_, state, rng_);
  return chooser_.choose(
      state, progress_, [&](Index a) { return tables_.q(state, a); },
      [&](Index a) { return tables_.visits(state, a); });
}

std::int32_t ModelAgent::begin(Index state) {
  state_ = state;
  return action_ = choose(state);
}

void ModelAgent::count(double reward, Index next) {
  auto& seen = outcomes_[place(state_, action_)];
  const auto target = static_cast<std::int32_t>(next);
  const auto found =
      std::find_if(seen.begin(), seen.end(), [&](const auto& one) { return one.first == target; });
  if (found != seen.end()) {
    ++found->second;
  } else {
    seen.emplace_back(target, 1);
    auto& origins = before_[static_cast<std::size_t>(next)];
    const auto origin = static_cast<std::int32_t>(state_);
    if (std::find(origins.begin(), origins.end(), origin) == origins.end()) origins.push_back(origin);
  }
  ++tables_.visits(state_, action_);
  paid_[place(state_, action_)] += reward;
}

double ModelAgent::worth(Index state, Index action) const {
  const std::int64_t n = tables_.visits(state, action);
  if (n == 0) return 0.0;
  double sum = 0.0;
  for (const auto& [next, times] : outcomes_[place(state, action)]) {
    sum += static_cast<double>(times) * tables_.values[static_cast<std::size_t>(next)];
  }
  return (paid_[place(state, action)] + discount_ * sum) / static_cast<double>(n);
}

double ModelAgent::update(Index state) {
  double best = -HUGE_VAL, mixed = 0.0, tried = 0.0;
  for (Index a = 0; a < pairs_.cols; ++a) {
    if (pairs_(state, a) < 0) continue;
    const double q = tables_.q(state, a) = worth(state, a);
    const bool untried =
        exploration_.kind == ExplorationKind::optimistic && tables_.visits(state, a) < exploration_.visits;
    best = std::max(best, untried ? exploration_.first : q);
    if (policy_.data != nullptr && tables_.visits(state, a) > 0) {
      mixed += policy_(state, a) * q;
      tried += policy_(state, a);
    }
  }
  double value = best;
  if (policy_.data != nullptr) value = tried > 0.0 ? mixed / tried : 0.0;
  return value;
}

void ModelAgent::queue(Index state) {
  const auto s = static_cast<std::size_t>(state);
  if (!ended_[s]) heap_.set(s, std::abs(update(state) - tables_.values[s]));
}

void ModelAgent::settle(std::int64_t updates) {
  for (std::int64_t done = 0; done < updates && !heap_.empty() && heap_.highest() > least_; ++done) {
    const std::size_t state = heap_.pop();
    tables_.values[state] = update(static_cast<Index>(state));
    for (const std::int32_t origin : before_[state]) queue(origin);
  }
}

std::int32_t ModelAgent::step(double reward, Index next, bool terminated, double value) {
  count(reward, next);
  const auto there = static_cast<std::size_t>(next);
  if (terminated) {
    ended_[there] = 1;
    tables_.values[there] = value;
  }
  queue(state_);
  settle(updates_);
  state_ = next;
  return action_ = terminated ? -1 : choose(next);
}

}  // namespace certus::reinforce
