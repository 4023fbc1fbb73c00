#include "reinforce/gradient_agent.hpp"

#include <algorithm>

#include "core/vector_ops.hpp"

namespace certus::reinforce {

const double* GradientAgent::seen(std::size_t step) const {
  const Index width = tables_.features.cols;
  return moving_ ? copies_.data() + static_cast<Index>(step) * width : tables_.features.row(states_[step]);
}

double GradientAgent::worth(const double* features) const {
  if (tables_.baseline.empty()) return 0.0;
  return vector_ops().dot_d(features, tables_.baseline.data(), tables_.features.cols);
}

std::int32_t GradientAgent::choose(Index state) {
  const Index width = tables_.features.cols, count = tables_.weights.rows;
  states_.push_back(state);
  if (moving_)
    copies_.insert(copies_.end(), tables_.features.row(state), tables_.features.row(state) + width);
  const double* features = seen(states_.size() - 1);
  const std::size_t first = probabilities_.size();
  double most = -HUGE_VAL, sum = 0.0;
  for (Index a = 0; a < count; ++a) {
    const bool has = pairs_(state, a) >= 0;
    probabilities_.push_back(has ? vector_ops().dot_d(features, tables_.weights.row(a), width) : -HUGE_VAL);
    most = std::max(most, probabilities_.back());
  }
  double* shares = probabilities_.data() + first;
  for (Index a = 0; a < count; ++a) sum += shares[a] = std::exp(shares[a] - most);
  for (Index a = 0; a < count; ++a) shares[a] /= sum;
  actions_.push_back(draw_action(View2D<const double>(shares, 1, count), 0, rng_));
  return actions_.back();
}

std::int32_t GradientAgent::begin(Index state) {
  settle();
  return choose(state);
}

std::int32_t GradientAgent::step(double reward, Index next, bool terminated, double value) {
  rewards_.push_back(reward);
  if (!terminated) return choose(next);
  learn(value);
  return -1;
}

void GradientAgent::settle() {
  if (rewards_.empty()) {  // an episode without a step, or none
    states_.clear(), copies_.clear(), probabilities_.clear(), actions_.clear();
    return;
  }
  learn(worth(seen(states_.size() - 1)));
}

void GradientAgent::learn(double after) {
  const Index width = tables_.features.cols, count = tables_.weights.rows;
  const std::size_t steps = rewards_.size();
  ++episodes_;
  advantages_.resize(steps);
  double sum = after;
  for (std::size_t t = steps; t-- > 0;) {
    rewards_[t] = sum = rewards_[t] + discount_ * sum;  // now the return from there on
    advantages_[t] = sum - worth(seen(t));
  }
  double factor = steps_.length(episodes_, progress_);
  for (std::size_t t = 0; t < steps; ++t, factor *= discount_) {
    const double* shares = probabilities_.data() + t * static_cast<std::size_t>(count);
    for (Index a = 0; a < count; ++a) {
      const double slope = (a == actions_[t] ? 1.0 : 0.0) - shares[a];
      if (slope != 0.0)
        vector_ops().add_d(factor * advantages_[t] * slope, seen(t), tables_.weights.row(a), width);
    }
  }
  const double length = baseline_steps_.length(episodes_, progress_);
  for (std::size_t t = 0; t < steps && !tables_.baseline.empty(); ++t)
    vector_ops().add_d(length * (rewards_[t] - worth(seen(t))), seen(t), tables_.baseline.data(), width);
  states_.clear(), copies_.clear(), probabilities_.clear(), actions_.clear(), rewards_.clear();
}

}  // namespace certus::reinforce
