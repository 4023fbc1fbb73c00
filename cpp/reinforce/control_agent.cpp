#include "reinforce/control_agent.hpp"

namespace certus::reinforce {

std::int32_t ControlAgent::choose(Index state) {
  return chooser_.choose(
      state, progress_, [&](Index a) { return known(state, a); },
      [&](Index a) { return tables_.visits(state, a); });
}

double ControlAgent::following(View2D<double> chosen_by, View2D<double> valued_by, Index next) {
  const std::int32_t best = chooser_.best(next, [&](Index a) { return chosen_by(next, a); });
  return valued_by(next, best);
}

std::int32_t ControlAgent::begin(Index state) {
  state_ = state;
  return action_ = choose(state);
}

std::int32_t ControlAgent::step(double reward, Index next, bool terminated, double value) {
  View2D<double> learning = tables_.q, other = tables_.second;
  if (kind_ == ControlKind::double_q && rng_.uniform() < 0.5) std::swap(learning, other);
  const std::int64_t n = ++tables_.visits(state_, action_);
  double bootstrap = value;
  std::int32_t action = -1;
  if (!terminated) {
    if (kind_ == ControlKind::sarsa) {
      action = choose(next);
      bootstrap = learning(next, action);
    } else {
      bootstrap = following(learning, kind_ == ControlKind::double_q ? other : learning, next);
    }
  }
  double& q = learning(state_, action_);
  q += steps_.length(n, progress_) * (reward + discount_ * bootstrap - q);
  if (!terminated && kind_ != ControlKind::sarsa) action = choose(next);
  state_ = next;
  return action_ = action;
}

}  // namespace certus::reinforce
