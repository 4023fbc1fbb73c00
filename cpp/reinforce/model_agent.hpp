// Adaptive dynamic programming: count transitions, and keep values up to date on the estimated model by
// prioritised sweeping (Moore, Atkeson 1993) after every step.
//
//   U(s) = max_a f(Q(s, a), n(s, a)), Q(s, a) = mean reward + gamma sum_t n(t | s, a) / n(s, a) U(t),
// with f = R+ while n < N_e for the optimistic agent, else Q; for a given policy U(s) = sum_a pi(a | s) Q(s,
// a) over the actions tried. A pair that was never tried is worth 0.
#pragma once

#include <utility>

#include "reinforce/agent.hpp"
#include "reinforce/state_heap.hpp"

namespace certus::reinforce {

struct ModelTables {
  View2D<double> q;
  std::span<double> values;
  View2D<std::int64_t> visits;
};

class ModelAgent final : public Agent {
 public:
  // An empty policy makes an agent that chooses itself.
  ModelAgent(double discount, Exploration exploration, PairsOf pairs, View2D<const double> policy,
             ModelTables tables, std::int64_t updates, double least, std::uint64_t seed)
      : discount_(discount),
        exploration_(exploration),
        pairs_(pairs),
        policy_(policy),
        tables_(tables),
        updates_(updates),
        least_(least),
        rng_(seed),
        chooser_(pairs, exploration, rng_),
        outcomes_(static_cast<std::size_t>(pairs.rows * pairs.cols)),
        paid_(outcomes_.size(), 0.0),
        before_(static_cast<std::size_t>(pairs.rows)),
        ended_(before_.size(), 0),
        heap_(before_.size()) {}
  ModelAgent(const ModelAgent&) = delete;
  ModelAgent& operator=(const ModelAgent&) = delete;

  std::int32_t begin(Index state) override;
  std::int32_t step(double reward, Index next, bool terminated, double value) override;
  // Update by priority, at most so often.
  void settle(std::int64_t updates);

 private:
  std::size_t place(Index state, Index action) const {
    return static_cast<std::size_t>(state * pairs_.cols + action);
  }
  void count(double reward, Index next);
  double worth(Index state, Index action) const;
  double update(Index state);
  void queue(Index state);
  std::int32_t choose(Index state);

  double discount_;
  Exploration exploration_;
  PairsOf pairs_;
  View2D<const double> policy_;
  ModelTables tables_;
  std::int64_t updates_;
  double least_;
  Rng rng_;
  Chooser chooser_;
  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> outcomes_;  // of each pair
  std::vector<double> paid_;
  std::vector<std::vector<std::int32_t>> before_;  // states seen to lead to each state
  std::vector<std::uint8_t> ended_;
  StateHeap heap_;
  Index state_ = 0;
  std::int32_t action_ = -1;
};

}  // namespace certus::reinforce
