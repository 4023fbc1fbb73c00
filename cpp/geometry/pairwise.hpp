// Reductions over all pairs that never store the n x n distances.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/metric.hpp"

namespace certus::geometry {

// out(i, j) = reduced distance between query i and row j.
template <class T>
void pairwise(View2D<const T> rows, View2D<const double> queries, const Metric& metric, int threads,
              StopToken& stop, View2D<double> out);

// How a reduced distance becomes a distance.
enum class Root : int { none = 0, square = 1, power = 2, half = 3, share = 4 };
void finish(Root root, const Metric& metric, Index columns, double* values, Index count);

// sums(i, c) = sum of the distances between query i and the rows with label c; labels ascend. O(m n d) time.
template <class T>
void label_sums(View2D<const T> rows, std::span<const std::int32_t> labels, View2D<const double> queries,
                const Metric& metric, Root root, int threads, StopToken& stop, View2D<double> sums);

// The same among the rows themselves (given twice, once in double): each pair is compared once and counted
// for both of its rows. Row blocks are dealt out to at most 16 stripes, whose sums are added in order; how
// many depends on the table's size alone, and their sums take no more than 256 MB.
template <class T>
void label_sums_among(View2D<const T> rows, std::span<const std::int32_t> labels, View2D<const double> same,
                      const Metric& metric, Root root, int threads, StopToken& stop, View2D<double> sums);

}  // namespace certus::geometry
