// Gibbs sampling in a Bayesian network: every free node in turn is drawn given all others, which is
// proportional to
//
//   w_v(x_v) P(x_v | parents of v) prod_{children c} P(x_c | parents of c).
//
// Cost per sweep O(sum over nodes of states * (children + 1)). Chains over the pool; chain c uses Rng(seed,
// c).
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "graphical/network_model.hpp"

namespace certus::graphical {

// `rows` holds a possible row per chain, which moves; `draws` takes a row per chain and sweep, chains one
// after the other. `weights` are those of all states one after the other, or nothing.
void gibbs_sweeps(const NetworkModel& model, std::span<const std::int64_t> free,
                  std::span<const double> weights, std::uint64_t seed, View2D<std::int32_t> rows,
                  View2D<std::int32_t> draws, int threads, StopToken& stop);

}  // namespace certus::graphical
