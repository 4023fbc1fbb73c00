// Gradients and hessians rounded to a grid on which sums of all rows are exact. So a histogram has the same
// bits whatever the order in which rows are added: for any number of threads, and for subtracted siblings.
//
// The coarse grid packs a row into 32 bits (15 for the gradient, 13 for the hessian); sums of at most 4095
// rows then fit with a count of rows into one 64-bit word, so that a histogram costs one addition a value. It
// serves large tables whose gradients are not of very different sizes. The fine grid has steps of 2^-36 of
// the largest gradient: gradients that differ by rounding errors only fall on one point, so that equally good
// divisions stay equally good. It is laid before weights are multiplied, so that a weight of 2 and a repeated
// row give the same sums; the products then fall on a grid of 2^-52 of the largest possible sum, whatever the
// scale of the weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boosting/binned_table.hpp"
#include "core/stop.hpp"

namespace certus::boosting {

// A row of a node with its packed gradient (coarse grid only).
struct Entry {
  Row row;
  std::uint32_t packed;  // gradient << 16 | hessian
};

struct Grid {
  bool coarse = false;
  bool unit_hessian = false;   // every hessian is 1: the count of rows says all
  double gradient_step = 1.0;  // powers of two: multiplying by them is exact
  double hessian_step = 1.0;
  std::vector<double> gradients;  // on the fine grid, by row; empty for the coarse grid
  std::vector<double> hessians;
};

inline constexpr int coarse_gradient_limit = (1 << 14) - 1;
inline constexpr int coarse_hessian_limit = (1 << 13) - 1;
inline constexpr Index coarse_rows = 4095;
// Below this many rows the fine grid costs little.
inline constexpr Index coarse_from_rows = 32768;

// First and second derivatives by row, without weights. Empty hessians are 1 everywhere, as are empty
// weights.
struct Derivatives {
  std::span<const double> gradients, hessians, weights;

  double hessian(Index row) const { return hessians.empty() ? 1.0 : hessians[row]; }
  double weight(Index row) const { return weights.empty() ? 1.0 : weights[row]; }
  bool unit_hessian() const { return hessians.empty() && weights.empty(); }
};

// Chooses the grid and rounds; fills `entries` with all rows in order.
void place_on_grid(const Derivatives& of, Grid& grid, std::span<Entry> entries, int threads, StopToken& stop);

}  // namespace certus::boosting
