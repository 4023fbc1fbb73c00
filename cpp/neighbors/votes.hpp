// Votes of neighbors: each neighbor gives its weight (1 without weights) to its class.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::neighbors {

// The neighbors of each query and their weights (an empty view: all 1), and the class of every training row.
struct Ballot {
  View2D<const Index> neighbors;
  View2D<const double> weights;
  std::span<const Index> classes;
  double weight(Index query, Index place) const {
    return weights.data == nullptr ? 1.0 : weights(query, place);
  }
};

// winner[i]: the class with the greatest total for query i, the first of equals.
void vote_winners(const Ballot& ballot, Index class_count, int threads, StopToken& stop,
                  std::span<Index> winner);

// shares(i, c): the part of query i's total weight that went to class c.
void vote_shares(const Ballot& ballot, int threads, StopToken& stop, View2D<double> shares);

}  // namespace certus::neighbors
