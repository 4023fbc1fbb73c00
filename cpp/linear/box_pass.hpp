// Passes over a dense table for Newton's method on the common dual of linear machines (box_dual.hpp).
#pragma once

#include <cstdint>

#include "core/stop.hpp"
#include "linear/box_dual.hpp"
#include "linear/table_rows.hpp"

namespace certus::linear {

struct BoxSums {
  double loss = 0.0;      // sum of the rows' losses
  double dual = 0.0;      // sum of the rows' dual values
  double envelope = 0.0;  // sum of the proximally smoothed losses
};

// For every row: score f = x'w, b = argmax of b (t - f) - epsilon |b| - ridge b^2/2 - prox (b - center)^2/2
// in the box, and curvature = 1 / (ridge + prox) where b is free to move, else 0. image := X'b.
template <class Rows>
BoxSums box_pass(const Rows& x, const BoxDual& dual, double prox, std::span<const double> center,
                 std::span<const double> w, int threads, StopToken& stop, std::span<double> scores,
                 std::span<double> b, std::span<double> curvature, std::span<double> image);

// sum_i b_i(f_i + step q_i) q_i with b as above: the derivative of the smoothed losses along a line.
double slope_along(const BoxDual& dual, double prox, std::span<const double> center,
                   std::span<const double> scores, std::span<const double> change, double step);

// Longest chain of additions behind an entry of image, and behind the sums.
Index box_chain(Index rows);

// out (size x size) := sum over the listed rows of weight_i z_i z_i' with z = [x, constant]; size is the
// number of columns, plus 1 if there is a constant.
template <class T>
void row_gram(View2D<const T> x, double constant, std::span<const std::int64_t> rows,
              std::span<const double> weights, int threads, StopToken& stop, View2D<double> out);

}  // namespace certus::linear
