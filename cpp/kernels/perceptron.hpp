// One pass of the kernel perceptron over a block of rows, for several two-class problems at once.
#pragma once

#include <cstdint>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::kernels {

// The rows of a block are taken in order. Row i is a mistake of problem t if y(i, t) scores(i, t) <= 0; then
//   changes(i, t) += y(i, t),   scores(j, t) += y(i, t) K(i, j) for i and all later rows j.
// wrong(i, t) is set to 1 for a mistake, else to 0. Returns the number of mistakes.
Index perceptron_block(View2D<const double> K, View2D<const double> y, View2D<double> scores,
                       View2D<double> changes, View2D<std::int64_t> wrong, StopToken& stop);

}  // namespace certus::kernels
