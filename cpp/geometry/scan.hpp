// Brute force without shortcuts: every query is compared with every row. Any metric of metric.hpp, no memory
// beyond k neighbors per query, and the reference for the other searches. O(m n d).
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/k_best.hpp"
#include "geometry/metric.hpp"

namespace certus::geometry {

// The k nearest rows of each query by increasing (distance, row); rows are row-major.
template <class T>
void scan(View2D<const T> rows, View2D<const double> queries, const Metric& metric, int threads,
          StopToken& stop, NeighborTable out);

// The same for some of the queries only, on the calling thread; the other rows of `out` stay as they are.
template <class T>
void scan_some(View2D<const T> rows, View2D<const double> queries, std::span<const Index> chosen,
               const Metric& metric, StopToken& stop, NeighborTable out);

}  // namespace certus::geometry
