// Learners of Q(s, a) from experience, without a model (Watkins 1989; Rummery, Niranjan 1994; van Hasselt
// 2010).
//
//   Q(s, a) += alpha (r + gamma B - Q(s, a)),  B = max_b Q(s', b)      for Q-learning,
//                                              B = Q(s', a')           for SARSA, a' the action taken next,
//                                              B = Q2(s', argmax Q)    for double Q-learning, tables in turn
//                                              at
//                                                                      random,
// and B = R(s') where s' ends everything.
#pragma once

#include "core/vector_ops.hpp"
#include "reinforce/agent.hpp"

namespace certus::reinforce {

enum class ControlKind : int { q_learning = 0, sarsa, double_q };

// Q as one number per state and action.
struct TableValues {
  View2D<double> q;

  double get(Index state, Index action) const { return q(state, action); }
  void move(Index state, Index action, double by) const { q(state, action) += by; }
};

// Q as inner products: features(s) . weights(a), whose gradient is features(s).
struct LinearValues {
  View2D<const double> features;
  View2D<double> weights;

  double get(Index state, Index action) const {
    return vector_ops().dot_d(features.row(state), weights.row(action), features.cols);
  }
  void move(Index state, Index action, double by) const {
    vector_ops().add_d(by, features.row(state), weights.row(action), features.cols);
  }
};

template <class Values>
class ControlAgent final : public Agent {
 public:
  // `second` and `visits`: of double Q-learning, and by state and action.
  ControlAgent(ControlKind kind, double discount, StepRule steps, Exploration exploration, PairsOf pairs,
               Values q, Values second, View2D<std::int64_t> visits, std::uint64_t seed)
      : kind_(kind),
        discount_(discount),
        steps_(steps),
        q_(q),
        second_(second),
        visits_(visits),
        rng_(seed),
        chooser_(pairs, exploration, rng_) {}
  ControlAgent(const ControlAgent&) = delete;
  ControlAgent& operator=(const ControlAgent&) = delete;

  std::int32_t begin(Index state) override;
  std::int32_t step(double reward, Index next, bool terminated, double value) override;

 private:
  double known(Index state, Index action) const {
    const double q = q_.get(state, action);
    return kind_ == ControlKind::double_q ? (q + second_.get(state, action)) / 2.0 : q;
  }
  std::int32_t choose(Index state);
  double following(const Values& chosen_by, const Values& valued_by, Index next);

  ControlKind kind_;
  double discount_;
  StepRule steps_;
  Values q_, second_;
  View2D<std::int64_t> visits_;
  Rng rng_;
  Chooser chooser_;
  Index state_ = 0;
  std::int32_t action_ = -1;
};

}  // namespace certus::reinforce
