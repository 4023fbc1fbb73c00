// REINFORCE with a baseline (Williams 1992): a softmax policy over functions that are linear in features.
//
//   pi(a | s) = exp(x(s) . w_a) / sum_b exp(x(s) . w_b),
//   w_a += alpha sum_t gamma^t (G_t - v(s_t)) (1[a = a_t] - pi(a | s_t)) x(s_t)    after each episode,
//   v(s) = x(s) . b,  b += beta (G_t - v(s_t)) x(s_t)                              step by step after that.
//
// With the baseline of earlier episodes and the probabilities that chose, the sum is an unbiased estimate of
// the gradient of the discounted return. An episode that was cut off goes on with the baseline's value of its
// last state.
#pragma once

#include "reinforce/agent.hpp"

namespace certus::reinforce {

struct GradientTables {
  View2D<const double> features;  // by state; of two rows in turn if `moving`
  View2D<double> weights;         // actions x features
  std::span<double> baseline;     // features, or empty
};

class GradientAgent final : public Agent {
 public:
  GradientAgent(double discount, StepRule steps, StepRule baseline_steps, PairsOf pairs,
                const GradientTables& tables, bool moving, std::uint64_t seed)
      : discount_(discount),
        steps_(steps),
        baseline_steps_(baseline_steps),
        pairs_(pairs),
        tables_(tables),
        moving_(moving),
        rng_(seed) {}

  std::int32_t begin(Index state) override;
  std::int32_t step(double reward, Index next, bool terminated, double value) override;
  // Learns from an episode that was cut off, if there is one.
  void settle();

 private:
  const double* seen(std::size_t step) const;
  double worth(const double* features) const;
  std::int32_t choose(Index state);
  void learn(double after);

  double discount_;
  StepRule steps_, baseline_steps_;
  PairsOf pairs_;
  GradientTables tables_;
  bool moving_;
  Rng rng_;
  std::int64_t episodes_ = 0;
  // The episode: a state, its features if they move, the probabilities of its actions and the choice;
  // rewards.
  std::vector<Index> states_;
  std::vector<double> copies_, probabilities_, rewards_, advantages_;
  std::vector<std::int32_t> actions_;
};

}  // namespace certus::reinforce
