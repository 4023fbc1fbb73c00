// Bandits: which of K arms to play next, and what a reward in [0, 1] changes.
//
// UCB1 (Auer, Cesa-Bianchi, Fischer 2002), KL-UCB (Garivier, Cappe 2011), epsilon-greedy, Thompson sampling
// with beta posteriors (Agrawal, Goyal 2012), successive elimination (Even-Dar, Mannor, Mansour 2006), EXP3
// (Auer et al. 2002) and EXP3-IX (Neu 2015). O(K) per choice, one thread. The random numbers of a choice
// belong to its number, so that one by one and a whole table play the same arms.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::online {

enum class ArmKind : int {
  ucb1 = 0,
  kl_ucb = 1,
  epsilon_greedy = 2,
  thompson = 3,
  elimination = 4,
  exp3 = 5,
  exp3_ix = 6
};

struct ArmRule {
  ArmKind kind = ArmKind::ucb1;
  double parameter = 0.0;  // epsilon, failure probability of elimination, or eta
  bool decays = false;     // epsilon K / t instead of epsilon
  std::uint64_t seed = 0;
};

struct ArmState {
  std::span<std::int64_t> chosen;   // how often every arm was chosen
  std::span<std::int64_t> counts;   // how many of its rewards came
  std::span<double> sums;           // their sum
  std::span<double> scores;         // EXP3: estimated losses
  std::span<std::uint8_t> present;  // whether the arm can be chosen
  std::span<std::uint8_t> left;     // whether elimination still considers it
};

struct Choice {
  Index arm;
  double probability;  // of this arm, for EXP3; else 1
};

Choice choose_arm(const ArmRule& rule, const ArmState& state, std::int64_t number);
void reward_arm(const ArmRule& rule, const ArmState& state, Index arm, double reward, double probability);

// Rows of rewards in turn; choices are numbered from `first`.
void run_arms(View2D<const double> rewards, const ArmRule& rule, const ArmState& state, std::int64_t first,
              std::span<std::int64_t> arms, std::span<double> probabilities, StopToken& stop);

}  // namespace certus::online
