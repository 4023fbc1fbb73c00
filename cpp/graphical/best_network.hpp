// The network of highest score by dynamic programming over sets of nodes (Silander, Myllymaki 2006): the best
// parents of every node within every set, then the best last node of every set. Sets are bits; n 2^n steps.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "graphical/set_sums.hpp"

namespace certus::graphical {

// What one child may have as parents: sets with all of `required` and nothing but `allowed`, at most `most`.
struct ParentRule {
  Column child = 0;
  std::uint64_t allowed = 0;
  std::uint64_t required = 0;
  Index most = 0;
};

// Scores of the families of a child from the sums of all sets (2^n numbers each, the second for parents),
// then for every set of other nodes (the child's bit taken out) the best score of parents within it and which
// they are; -infinity where none is allowed.
void best_parents(const SetSums& sums, const ParentRule& rule, std::span<const double> joint,
                  std::span<const double> parent, std::span<double> best, std::span<std::uint32_t> which,
                  StopToken& stop);

// Rows of `best` (2^(n-1) numbers per child) to the parents of the best network, as bits; returns its score.
double best_network(View2D<const double> best, View2D<const std::uint32_t> which,
                    std::span<std::uint32_t> parents, StopToken& stop);

}  // namespace certus::graphical
