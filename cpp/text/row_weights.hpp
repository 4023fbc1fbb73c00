// Weights of terms and lengths of rows, in place: x_ij <- x_ij weight_j, then every row divided by its norm.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::text {

enum class Norm : int { none = 0, l1 = 1, l2 = 2 };

// weights may be empty: all 1. Rows whose norm is 0 stay as they are. Sums go from left to right in double.
template <class Value, class Place>
void weigh_rows(std::span<Value> values, std::span<const Place> columns, std::span<const Place> starts,
                std::span<const Value> weights, Norm norm, int threads, StopToken& stop);

}  // namespace certus::text
