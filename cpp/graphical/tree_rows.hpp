// One clique tree for many rows of evidence: the rows observe the same nodes.
#pragma once

#include <cstdint>
#include <span>

#include "graphical/clique_tree.hpp"

namespace certus::graphical {

// Per row P(node | row), or zeros where the row is impossible, and log P(row).
void query_tree_rows(CliqueTree& tree, View2D<const std::int64_t> rows, Index node, View2D<double> out,
                     std::span<double> likelihood, StopToken& stop);

// Per row log P(row); adds weights[row] * P(family | row) of all nodes to the counts, laid out as the tables
// of the network, for rows that are possible.
void count_tree_rows(CliqueTree& tree, View2D<const std::int64_t> rows, std::span<const double> weights,
                     std::span<double> counts, std::span<double> likelihood, StopToken& stop);

// Rows drawn from P(x | evidence) after a summing collect; columns of nodes that the tree does not have are
// kept.
void draw_tree_rows(const CliqueTree& tree, std::uint64_t seed, View2D<std::int32_t> rows, StopToken& stop);

}  // namespace certus::graphical
