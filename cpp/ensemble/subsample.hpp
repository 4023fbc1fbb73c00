// Drawing rows without replacement, for stochastic gradient boosting (Friedman 2002).
#pragma once

#include <cstdint>
#include <span>

#include "core/view2d.hpp"

namespace certus::ensemble {

// Marks `wanted` of the rows, every set of that size with the same probability: row i of n is taken with
// probability (still wanted) / (rows left), decided by the uniform number of the row (Fan, Muller, Rezucha
// 1962). Returns how many are marked, which is min(wanted, n).
Index mark_sample(std::span<const double> uniform, Index wanted, std::span<std::uint8_t> marked);

}  // namespace certus::ensemble
