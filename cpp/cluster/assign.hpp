// The nearest center of every row.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::cluster {

// labels[i] = argmin_c |x_i - c|^2, the first of equals; squared[i] = that distance, in double. Computed
// around the mean of the centers, so that a far origin costs no digits.
template <class T>
void assign(View2D<const T> rows, View2D<const double> centers, int threads, StopToken& stop,
            std::span<std::int32_t> labels, std::span<double> squared);

// out(i, c) = |x_i - c|, in double.
template <class T>
void center_distances(View2D<const T> rows, View2D<const double> centers, int threads, StopToken& stop,
                      View2D<double> out);

}  // namespace certus::cluster
