#include "neighbors/sparse_scan.hpp"

#include <cmath>

#include "core/parallel.hpp"

namespace certus::neighbors {
namespace {

struct SquaredEuclidean {
  explicit SquaredEuclidean(const Metric&) {}
  double operator()(double sum, double difference, std::int64_t) const {
    return sum + difference * difference;
  }
};
struct Manhattan {
  explicit Manhattan(const Metric&) {}
  double operator()(double sum, double difference, std::int64_t) const { return sum + std::abs(difference); }
};
struct Chebyshev {
  explicit Chebyshev(const Metric&) {}
  double operator()(double most, double difference, std::int64_t) const {
    return std::max(most, std::abs(difference));
  }
};
struct Minkowski {
  explicit Minkowski(const Metric& metric) : power(metric.power), weights(metric.weights) {}
  double operator()(double sum, double difference, std::int64_t column) const {
    const double term = std::pow(std::abs(difference), power);
    return sum + (weights ? weights[column] * term : term);
  }
  double power;
  const double* weights;
};

template <class T, class Term>
double merged_distance(const SparseRows<T>& a, Index row_a, const SparseRows<T>& b, Index row_b,
                       const Term& term) {
  auto i = static_cast<std::size_t>(a.starts[static_cast<std::size_t>(row_a)]);
  auto j = static_cast<std::size_t>(b.starts[static_cast<std::size_t>(row_b)]);
  const auto end_a = static_cast<std::size_t>(a.starts[static_cast<std::size_t>(row_a) + 1]);
  const auto end_b = static_cast<std::size_t>(b.starts[static_cast<std::size_t>(row_b) + 1]);
  double value = 0.0;
  while (i < end_a && j < end_b) {
    const std::int64_t column_a = a.columns[i], column_b = b.columns[j];
    const double x = column_a <= column_b ? static_cast<double>(a.values[i]) : 0.0;
    const double y = column_b <= column_a ? static_cast<double>(b.values[j]) : 0.0;
    value = term(value, x - y, std::min(column_a, column_b));
    i += column_a <= column_b;
    j += column_b <= column_a;
  }
  for (; i < end_a; ++i) value = term(value, static_cast<double>(a.values[i]), a.columns[i]);
  for (; j < end_b; ++j) value = term(value, static_cast<double>(b.values[j]), b.columns[j]);
  return value;
}

template <class T, class Term>
void scan_with(const SparseRows<T>& rows, const SparseRows<T>& queries, const Term& term, int threads,
               StopToken& stop, NeighborTable out) {
  constexpr Index block = 8, between_polls = 256;
  parallel_ranges(queries.rows(), block, threads, stop, [&](Index first, Index last, int) {
    KBest best(out.rows.cols);
    for (Index query = first; query < last; ++query) {
      best.clear();
      for (Index row = 0; row < rows.rows(); ++row) {
        if (row % between_polls == 0 && stop.poll()) return;
        best.offer(merged_distance(rows, row, queries, query, term), row);
      }
      best.write(out.distances.row(query), out.rows.row(query));
    }
  });
}

}  // namespace

template <class T>
void sparse_scan(const SparseRows<T>& rows, const SparseRows<T>& queries, const Metric& metric, int threads,
                 StopToken& stop, NeighborTable out) {
  switch (metric.kind) {
    case MetricKind::squared_euclidean:
      return scan_with(rows, queries, SquaredEuclidean(metric), threads, stop, out);
    case MetricKind::manhattan:
      return scan_with(rows, queries, Manhattan(metric), threads, stop, out);
    case MetricKind::chebyshev:
      return scan_with(rows, queries, Chebyshev(metric), threads, stop, out);
    case MetricKind::minkowski:
      return scan_with(rows, queries, Minkowski(metric), threads, stop, out);
  }
}

template void sparse_scan(const SparseRows<float>&, const SparseRows<float>&, const Metric&, int, StopToken&,
                          NeighborTable);
template void sparse_scan(const SparseRows<double>&, const SparseRows<double>&, const Metric&, int,
                          StopToken&, NeighborTable);

}  // namespace certus::neighbors
