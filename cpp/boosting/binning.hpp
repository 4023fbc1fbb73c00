// Binning: quantiles of every column, and the number of the bin of every value.
#pragma once

#include <cstdint>
#include <span>

#include "boosting/binned_table.hpp"
#include "core/stop.hpp"

namespace certus::boosting {

inline constexpr Index max_edges = 254;

// Writes the borders between the bins of column j into edges row j and their number into counts[j]: midpoints
// of neighboring values if there are at most `max_bins` distinct ones, else weighted quantiles at i/max_bins
// (the average of the two values where the weight up to one of them is exactly that share). Values that weigh
// as much as a bin have one of their own (unless `fine_ends`), and the others share out the rest. Only the
// given rows count, missing values do not. `weights` is empty or has one weight per row of x; `skip` marks
// columns to be left out. `fine_ends` makes the bins narrower towards both ends.
template <class T>
void find_edges(View2D<const T> x, std::span<const Row> rows, std::span<const double> weights,
                std::span<const std::uint8_t> skip, int max_bins, bool fine_ends, View2D<double> edges,
                std::span<std::uint16_t> counts, int threads, StopToken& stop);

// Fills both copies of the bins (only the first if `by_row` is null), and has_missing per column. A
// categorical column holds codes 0 .. 254; what is none of its `counts[j]` codes is missing.
template <class T>
void bin_table(View2D<const T> x, View2D<const double> edges, std::span<const std::uint16_t> counts,
               std::span<const std::uint8_t> categorical, Bin* by_column, Bin* by_row,
               std::span<std::uint8_t> has_missing, int threads, StopToken& stop);

}  // namespace certus::boosting
