// The k smallest entries of each row of a given distance matrix, by increasing (distance, column).
#pragma once

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/k_best.hpp"

namespace certus::geometry {

void select_smallest(View2D<const double> distances, int threads, StopToken& stop, NeighborTable out);

}  // namespace certus::geometry
