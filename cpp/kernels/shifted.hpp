// The matrix S K S + shift I of some rows, which Newton steps and least squares factorize.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::kernels {

// Fills the lower triangle of out (rows.size() x rows.size()):
//   out(i, j) = scale[i] K(rows[i], rows[j]) scale[j]  (+ shift if i == j).
// What is above the diagonal is left as it was.
void scale_and_shift(View2D<const double> K, std::span<const std::int64_t> rows,
                     std::span<const double> scale, double shift, int threads, StopToken& stop,
                     View2D<double> out);

}  // namespace certus::kernels
