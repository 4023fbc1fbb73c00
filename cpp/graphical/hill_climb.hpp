// Greedy search for a network of high score: the best of all additions, deletions and reversals of an arc
// that keep the graph acyclic, until none helps; then least bad steps that do not undo recent ones (Glover
// 1989), and new climbs from randomly changed copies of the best network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "graphical/set_sums.hpp"

namespace certus::graphical {

struct ClimbLimits {
  std::vector<Index> most_parents;  // of every node
  Index remembered = 0;             // steps that may not be undone
  Index patience = 0;               // steps without a new best before a climb ends
  Index restarts = 0;
  std::uint64_t seed = 0;
  int threads = 1;
};

// allowed(p, c) and required(p, c) tell of the arc p -> c. `parents` is the start, and the result; returns
// its score.
double hill_climb(SetSums& sums, View2D<const std::uint8_t> allowed, View2D<const std::uint8_t> required,
                  const ClimbLimits& limits, std::vector<ColumnSet>& parents, StopToken& stop);

}  // namespace certus::graphical
