#include "reinforce/control_agent.hpp"

#include <utility>

namespace certus::reinforce {

template <class Values>
std::int32_t ControlAgent<Values>::choose(Index state) {
  return chooser_.choose(
      state, progress_, [&](Index a) { return known(state, a); }, [&](Index a) { return visits_(state, a); });
}

template <class Values>
double ControlAgent<Values>::following(const Values& chosen_by, const Values& valued_by, Index next) {
  const std::int32_t best = chooser_.best(next, [&](Index a) { return chosen_by.get(next, a); });
  return valued_by.get(next, best);
}

template <class Values>
std::int32_t ControlAgent<Values>::begin(Index state) {
  state_ = state;
  return action_ = choose(state);
}

template <class Values>
std::int32_t ControlAgent<Values>::step(double reward, Index next, bool terminated, double value) {
  Values learning = q_, other = second_;
  if (kind_ == ControlKind::double_q && rng_.uniform() < 0.5) std::swap(learning, other);
  const std::int64_t n = ++visits_(state_, action_);
  double bootstrap = value;
  std::int32_t action = -1;
  if (!terminated) {
    if (kind_ == ControlKind::sarsa) {
      action = choose(next);
      bootstrap = learning.get(next, action);
    } else {
      bootstrap = following(learning, kind_ == ControlKind::double_q ? other : learning, next);
    }
  }
  const double error = reward + discount_ * bootstrap - learning.get(state_, action_);
  learning.move(state_, action_, steps_.length(n, progress_) * error);
  if (!terminated && kind_ != ControlKind::sarsa) action = choose(next);
  state_ = next;
  return action_ = action;
}

template class ControlAgent<TableValues>;
template class ControlAgent<LinearValues>;

}  // namespace certus::reinforce
