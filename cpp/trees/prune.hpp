// Cost-complexity pruning (Breiman, Friedman, Olshen, Stone 1984, ch. 3). With R(t) = (weight of t / total
// weight) x impurity of t, R(T) the sum over the leaves of T and |T| their number, the cost is R_alpha(T) =
// R(T) + alpha |T|. The weakest link is the inner node t with the smallest g(t) = (R(t) - R(T_t)) / (|T_t| -
// 1), T_t the branch below it. Cutting weakest links one after the other gives a nested sequence that
// contains, for every alpha, the smallest sub-tree of minimal cost. O(nodes x (depth + log nodes)) in all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::trees {

struct PruningStep {
  std::int64_t node;  // the inner node that became a leaf; -1 for the tree as grown
  double alpha;       // g(node)
  double cost;        // R of the tree after the step
};

// The whole sequence, from the tree as grown to the root alone; among equal g the first node is cut first.
std::vector<PruningStep> pruning_sequence(std::span<const std::int64_t> left,
                                          std::span<const std::int64_t> right,
                                          std::span<const double> impurity, std::span<const double> weight,
                                          StopToken& stop);

}  // namespace certus::trees
