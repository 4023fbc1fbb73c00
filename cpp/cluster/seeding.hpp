// First centers for k-means: k-means++ (Arthur and Vassilvitskii 2007), several draws a step, the best kept.
#pragma once

#include <cstdint>
#include <span>

#include "cluster/grouped_rows.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::cluster {

// The rows that become centers, in chosen. Row i is drawn with probability weight_i d_i^2 / sum, where d_i is
// its distance to the nearest center so far; of uniforms.cols draws the one that leaves the least sum is
// kept. A uniform number u draws the row at which the running sum, in the given order of the rows, passes u
// times the total.
template <class T>
void seed_centers(const GroupedRows<T>& rows, std::span<const double> weights,
                  std::span<const std::int64_t> order, View2D<const double> uniforms, int threads,
                  StopToken& stop, std::span<std::int64_t> chosen);

}  // namespace certus::cluster
