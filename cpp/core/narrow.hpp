// A table of doubles in single precision, and in the same pass whether all of its values are finite then:
// values too large for a float become infinite. Memory-bound.
#pragma once

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus {

// Writes every value of `from` to the same place of `to`, which has the same shape.
bool narrow(View2D<const double> from, View2D<float> to, int threads, StopToken& stop);

}  // namespace certus
