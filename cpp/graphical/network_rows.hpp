// Rows of a Bayesian network: drawing them, and their probabilities. A row holds the place of a state per
// node. Cost O(rows * (nodes + edges)); rows in blocks over the pool, block b of a drawing uses Rng(seed, b).
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "graphical/network_model.hpp"

namespace certus::graphical {

// Ancestral sampling: every node after its parents, as `order` has them.
void draw_network_rows(const NetworkModel& model, std::span<const std::int64_t> order, std::uint64_t seed,
                       View2D<std::int32_t> rows, int threads, StopToken& stop);

// log P(row) = sum_v log p(x_v | parents of v); -infinity for impossible rows. Cells must not be missing.
void network_row_likelihoods(const NetworkModel& model, View2D<const std::int32_t> rows,
                             std::span<double> out, int threads, StopToken& stop);

}  // namespace certus::graphical
