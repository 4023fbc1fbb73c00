// Brute force on sparse rows: the two sorted lists of columns are merged, so columns where both are zero cost
// nothing and differences are taken directly, without cancellation. O(m n (nonzeros of a row)).
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "geometry/k_best.hpp"
#include "geometry/metric.hpp"

namespace certus::geometry {

// Compressed rows: row i has the entries starts[i] .. starts[i + 1] - 1, columns ascending within a row.
template <class T>
struct SparseRows {
  std::span<const T> values;
  std::span<const std::int64_t> columns;
  std::span<const std::int64_t> starts;
  Index rows() const { return static_cast<Index>(starts.size()) - 1; }
};

// The k nearest rows of each query by increasing (distance, row).
template <class T>
void sparse_scan(const SparseRows<T>& rows, const SparseRows<T>& queries, const Metric& metric, int threads,
                 StopToken& stop, NeighborTable out);

// out(i, j) = reduced distance between query i and row j.
template <class T>
void sparse_pairwise(const SparseRows<T>& rows, const SparseRows<T>& queries, const Metric& metric,
                     int threads, StopToken& stop, View2D<double> out);

}  // namespace certus::geometry
