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

#include "reinforce/agent.hpp"

namespace certus::reinforce {

enum class ControlKind : int { q_learning = 0, sarsa, double_q };

struct ControlTables {
  View2D<double> q, second;  // `second` for double Q-learning only
  View2D<std::int64_t> visits;
};

class ControlAgent final : public Agent {
 public:
  ControlAgent(ControlKind kind, double discount, StepRule steps, Exploration exploration, PairsOf pairs,
               ControlTables tables, std::uint64_t seed)
      : kind_(kind),
        discount_(discount),
        steps_(steps),
        tables_(tables),
        rng_(seed),
        chooser_(pairs, exploration, rng_) {}
  ControlAgent(const ControlAgent&) = delete;
  ControlAgent& operator=(const ControlAgent&) = delete;

  std::int32_t begin(Index state) override;
  std::int32_t step(double reward, Index next, bool terminated, double value) override;

 private:
  double known(Index state, Index action) const {
    const double q = tables_.q(state, action);
    return kind_ == ControlKind::double_q ? (q + tables_.second(state, action)) / 2.0 : q;
  }
  std::int32_t choose(Index state);
  double following(View2D<double> chosen_by, View2D<double> valued_by, Index next);

  ControlKind kind_;
  double discount_;
  StepRule steps_;
  ControlTables tables_;
  Rng rng_;
  Chooser chooser_;
  Index state_ = 0;
  std::int32_t action_ = -1;
};

}  // namespace certus::reinforce
