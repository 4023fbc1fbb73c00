#include "reinforce/policy_agent.hpp"

#include "core/vector_ops.hpp"

namespace certus::reinforce {
namespace {

constexpr double forgotten = 1e-12;

}  // namespace

std::int32_t PolicyAgent::begin(Index state) {
  for (const std::size_t s : traced_) traces_[s] = 0.0;
  traced_.clear();
  state_ = static_cast<std::size_t>(state);
  return draw_action(policy_, state, rng_);
}

void PolicyAgent::follow_traces(double change) {
  if (traces_[state_] == 0.0) traced_.push_back(state_);
  traces_[state_] += 1.0;
  std::size_t kept = 0;
  for (const std::size_t s : traced_) {
    values_[s] += change * traces_[s];
    traces_[s] *= discount_ * lambda_;
    if (traces_[s] > forgotten) {
      traced_[kept++] = s;
    } else {
      traces_[s] = 0.0;
    }
  }
  traced_.resize(kept);
}

std::int32_t PolicyAgent::step(double reward, Index next, bool terminated, double value) {
  if (terminated) values_[static_cast<std::size_t>(next)] = value;
  const double target = reward + discount_ * (terminated ? value : values_[static_cast<std::size_t>(next)]);
  const double change = steps_.length(++visits_[state_], progress_) * (target - values_[state_]);
  if (lambda_ > 0.0) {
    follow_traces(change);
  } else {
    values_[state_] += change;
  }
  state_ = static_cast<std::size_t>(next);
  return terminated ? -1 : draw_action(policy_, next, rng_);
}

double LinearPolicyAgent::known(Index state) const {
  return vector_ops().dot_d(features_.row(state), weights_.data(), features_.cols);
}

std::int32_t LinearPolicyAgent::begin(Index state) {
  state_ = state;
  return draw_action(policy_, state, rng_);
}

std::int32_t LinearPolicyAgent::step(double reward, Index next, bool terminated, double value) {
  const double error = reward + discount_ * (terminated ? value : known(next)) - known(state_);
  const double change = steps_.length(++visits_[static_cast<std::size_t>(state_)], progress_) * error;
  vector_ops().add_d(change, features_.row(state_), weights_.data(), features_.cols);
  state_ = next;
  return terminated ? -1 : draw_action(policy_, next, rng_);
}

}  // namespace certus::reinforce
