#include "geometry/sparse_scan.hpp"

#include <cassert>
#include <cmath>

#include "core/parallel.hpp"

namespace certus::geometry {
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

template <class T, class Term>
void pairwise_with(const SparseRows<T>& rows, const SparseRows<T>& queries, const Term& term, int threads,
                   StopToken& stop, View2D<double> out) {
  constexpr Index block = 8;
  parallel_ranges(queries.rows(), block, threads, stop, [&](Index first, Index last, int) {
    for (Index query = first; query < last && !stop.poll(); ++query) {
      for (Index row = 0; row < rows.rows(); ++row) {
        out(query, row) = merged_distance(rows, row, queries, query, term);
      }
    }
  });
}

// Calls work(term) with the term of a metric; the metrics without one here are not offered for sparse rows.
template <class Work>
void with_term(const Metric& metric, Work&& work) {
  switch (metric.kind) {
    case MetricKind::manhattan:
      return work(Manhattan(metric));
    case MetricKind::chebyshev:
      return work(Chebyshev(metric));
    case MetricKind::minkowski:
      return work(Minkowski(metric));
    default:
      assert(metric.kind == MetricKind::squared_euclidean);
      return work(SquaredEuclidean(metric));
  }
}

}  // namespace

template <class T>
void sparse_scan(const SparseRows<T>& rows, const SparseRows<T>& queries, const Metric& metric, int threads,
                 StopToken& stop, NeighborTable out) {
  with_term(metric, [&](const auto& term) { scan_with(rows, queries, term, threads, stop, out); });
}

template <class T>
void sparse_pairwise(const SparseRows<T>& rows, const SparseRows<T>& queries, const Metric& metric,
                     int threads, StopToken& stop, View2D<double> out) {
  with_term(metric, [&](const auto& term) { pairwise_with(rows, queries, term, threads, stop, out); });
}

template void sparse_scan(const SparseRows<float>&, const SparseRows<float>&, const Metric&, int, StopToken&,
                          NeighborTable);
template void sparse_scan(const SparseRows<double>&, const SparseRows<double>&, const Metric&, int,
                          StopToken&, NeighborTable);
template void sparse_pairwise(const SparseRows<float>&, const SparseRows<float>&, const Metric&, int,
                              StopToken&, View2D<double>);
template void sparse_pairwise(const SparseRows<double>&, const SparseRows<double>&, const Metric&, int,
                              StopToken&, View2D<double>);

}  // namespace certus::geometry
