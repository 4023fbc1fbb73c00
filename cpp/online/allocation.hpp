// Weights over n experts from their losses: Hedge, AdaHedge and Squint, and the votes of weighted majority.
//
// O(n) per trial (Squint: O(n) times the number of learning rates), one thread; state belongs to the caller.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::online {

struct Allocation {
  std::span<double> losses;  // every expert's loss so far
  std::span<double> sums;    // paid, trials, sum_t sum_i v_i (l_i - low)^2, sum of mixability gaps
};

// The weights played next: exp(-eta losses), normalized; eta infinite: equal weights of the leaders.
void hedge_weights(std::span<const double> losses, double eta, std::span<double> weights);

// Hedge with a fixed eta; losses are counted from `low` in the second-order sum.
void run_hedge(View2D<const double> losses, double eta, double low, const Allocation& state,
               std::span<double> paid, StopToken& stop);

// AdaHedge: eta = ln n / sum of mixability gaps.
void run_ada_hedge(View2D<const double> losses, const Allocation& state, std::span<double> paid,
                   StopToken& stop);

// Squint with a prior on finitely many learning rates: log_potential of expert i is
// ln sum_j prior_j eta_j^power exp(eta_j R_i - eta_j^2 V_i); weights are those of power 1.
struct SquintState {
  std::span<double> regrets, variances;
  std::span<const double> rates, prior;
  std::span<double> sums;  // paid, trials
};

void squint_weights(const SquintState& state, std::span<double> weights);
void run_squint(View2D<const double> losses, double scale, const SquintState& state, std::span<double> paid,
                StopToken& stop);

// Votes of experts for 0 or 1, weighted by exp(-eta mistakes); eta infinite: only who made fewest mistakes
// votes. chances(t) is the share of the weight that votes for 1, with exactly 0.5 for a tie.
void run_votes(View2D<const double> advice, std::span<const double> labels, double eta,
               std::span<std::int64_t> mistakes, std::span<double> chances, StopToken& stop);

}  // namespace certus::online
