// From scopes of factors to a tree of cliques: an order of elimination by a greedy rule, its cliques, and
// their tree. The order is the better of two (fewest fill-in edges; smallest table), by cells, and where
// messages will take far longer than that, the best of up to 200 with blurred scores from fixed seeds. Cost
// of each about O(sum over eliminated variables of degree^2 log degree).
#pragma once

#include <cstdint>
#include <vector>

#include "core/stop.hpp"

namespace certus::graphical {

struct EliminationInput {
  std::vector<std::int64_t> cards;       // of every variable
  std::vector<std::vector<int>> scopes;  // variables of every factor
  std::vector<std::uint8_t> late;        // variables that may be eliminated only after all others
};

struct CliqueShape {
  std::vector<int> axes;  // variables, those eliminated last first; the separator to the parent is a prefix
  int separator = 0;      // length of that prefix
  int parent = -1;
  bool late = false;  // eliminates late variables
};

struct EliminationPlan {
  std::vector<CliqueShape> cliques;
  std::vector<int> home;  // the clique in which a variable is eliminated
  double cells = 0.0;     // of all cliques together
  double largest = 0.0;
  int width = 0;  // variables of the largest clique, less one
};

EliminationPlan plan_elimination(const EliminationInput& input, StopToken& stop);

}  // namespace certus::graphical
