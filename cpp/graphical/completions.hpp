// Rows with missing cells under a network of tables: likelihoods, and expected counts of the families.
//
// The missing cells of a row fall into parts that no family joins; the completions of every part are added up
// one by one. Cost per row: for every part its completions times its families. Which parts there are depends
// on the pattern of missing cells alone and is found once per pattern.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "graphical/network_model.hpp"

namespace certus::graphical {

// The completions of the largest part of any row: what memory and time of the other functions depend on. With
// `observed_only`, missing nodes without observed descendants are left out, as they are from likelihoods.
double most_completions(const NetworkModel& network, View2D<const std::int32_t> rows, bool observed_only,
                        StopToken& stop);

// ln P(observed cells) of every row; -infinity for an impossible one.
void row_likelihoods(const NetworkModel& network, View2D<const std::int32_t> rows, std::span<double> out,
                     int threads, StopToken& stop);

// The same, and expected counts of all cells of all tables, added to `counts`. Impossible rows count nothing.
void expected_counts(const NetworkModel& network, View2D<const std::int32_t> rows,
                     std::span<const double> weights, std::span<double> out, std::span<double> counts,
                     int threads, StopToken& stop);

}  // namespace certus::graphical
