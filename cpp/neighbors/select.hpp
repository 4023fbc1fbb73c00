// The k smallest entries of each row of a given distance matrix, by increasing (distance, column).
#pragma once

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "neighbors/k_best.hpp"

namespace certus::neighbors {

void select_smallest(View2D<const double> distances, int threads, StopToken& stop, NeighborTable out);

}  // namespace certus::neighbors
