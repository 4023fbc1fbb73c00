// TD(lambda): values of a given policy from experience, without a model (Sutton 1988).
//
//   delta = r + gamma U(s') - U(s),  e := gamma lambda e, e(s) += 1,  U += alpha delta e;
// lambda = 0 is U(s) += alpha delta. Traces end with their episode, and below 1e-12.
#pragma once

#include "reinforce/agent.hpp"

namespace certus::reinforce {

class PolicyAgent final : public Agent {
 public:
  PolicyAgent(double discount, double lambda, StepRule steps, View2D<const double> policy,
              std::span<double> values, std::span<std::int64_t> visits, std::uint64_t seed)
      : discount_(discount),
        lambda_(lambda),
        steps_(steps),
        policy_(policy),
        values_(values),
        visits_(visits),
        traces_(lambda > 0.0 ? values.size() : 0, 0.0),
        rng_(seed) {}

  std::int32_t begin(Index state) override;
  std::int32_t step(double reward, Index next, bool terminated, double value) override;

 private:
  void follow_traces(double change);

  double discount_, lambda_;
  StepRule steps_;
  View2D<const double> policy_;
  std::span<double> values_;
  std::span<std::int64_t> visits_;
  std::vector<double> traces_;
  std::vector<std::size_t> traced_;
  Rng rng_;
  std::size_t state_ = 0;
};

// The same for U(s) = features(s) . weights, lambda = 0: weights += alpha delta features(s) (semi-gradient).
class LinearPolicyAgent final : public Agent {
 public:
  LinearPolicyAgent(double discount, StepRule steps, View2D<const double> policy,
                    View2D<const double> features, std::span<double> weights, std::span<std::int64_t> visits,
                    std::uint64_t seed)
      : discount_(discount),
        steps_(steps),
        policy_(policy),
        features_(features),
        weights_(weights),
        visits_(visits),
        rng_(seed) {}

  std::int32_t begin(Index state) override;
  std::int32_t step(double reward, Index next, bool terminated, double value) override;

 private:
  double known(Index state) const;

  double discount_;
  StepRule steps_;
  View2D<const double> policy_, features_;
  std::span<double> weights_;
  std::span<std::int64_t> visits_;
  Rng rng_;
  Index state_ = 0;
};

}  // namespace certus::reinforce
