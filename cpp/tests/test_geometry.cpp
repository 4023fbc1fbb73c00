#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/rng.hpp"
#include "geometry/kd_tree.hpp"
#include "geometry/product_filter.hpp"
#include "geometry/scan.hpp"
#include "geometry/select.hpp"
#include "geometry/sparse_scan.hpp"
#include "tests/check.hpp"

namespace certus::geometry {
namespace {

constexpr Metric euclidean{MetricKind::squared_euclidean, 2.0, nullptr};

template <class T>
std::vector<T> normal_table(Index rows, Index columns, std::uint64_t seed, double step = 0.0) {
  Rng rng(seed);
  std::vector<T> values(static_cast<std::size_t>(rows * columns));
  for (T& value : values) {
    const double draw = rng.normal();
    value = static_cast<T>(step > 0.0 ? std::round(draw / step) * step : draw);
  }
  return values;
}

struct Result {
  Result(Index queries, Index k)
      : k_(k), distances(static_cast<std::size_t>(queries * k)), rows(distances.size(), -1) {}
  NeighborTable table() {
    const auto queries = static_cast<Index>(rows.size()) / k_;
    return {{distances.data(), queries, k_}, {rows.data(), queries, k_}};
  }
  Index k_;
  std::vector<double> distances;
  std::vector<Index> rows;
};

void check_equal(const Result& a, const Result& b) {
  CHECK(a.rows == b.rows);
  CHECK(a.distances == b.distances);
}

// Plain sorting of all distances.
template <class T>
Result sorted_distances(const std::vector<T>& rows, const std::vector<double>& queries, Index columns,
                        Index k) {
  const auto n = static_cast<Index>(rows.size()) / columns, m = static_cast<Index>(queries.size()) / columns;
  Result result(m, k);
  for (Index i = 0; i < m; ++i) {
    std::vector<Neighbor> all;
    for (Index row = 0; row < n; ++row) {
      double sum = 0.0;
      for (Index j = 0; j < columns; ++j) {
        const double difference = queries[static_cast<std::size_t>(i * columns + j)] -
                                  static_cast<double>(rows[static_cast<std::size_t>(row * columns + j)]);
        sum += difference * difference;
      }
      all.push_back({sum, row});
    }
    std::sort(all.begin(), all.end());
    for (Index place = 0; place < k; ++place) {
      result.distances[static_cast<std::size_t>(i * k + place)] =
          all[static_cast<std::size_t>(place)].distance;
      result.rows[static_cast<std::size_t>(i * k + place)] = all[static_cast<std::size_t>(place)].row;
    }
  }
  return result;
}

template <class T>
void check_all_searches(Index n, Index columns, Index m, Index k, double step) {
  const auto rows = normal_table<T>(n, columns, 1, step);
  const auto queries = normal_table<double>(m, columns, 2, step);
  const View2D<const T> row_view(rows.data(), n, columns);
  const View2D<const double> query_view(queries.data(), m, columns);
  StopToken stop;
  const Result expected = sorted_distances(rows, queries, columns, k);
  Result scanned(m, k);
  scan(row_view, query_view, euclidean, 2, stop, scanned.table());
  CHECK(scanned.rows == expected.rows);
  for (std::size_t i = 0; i < expected.distances.size(); ++i) {
    CHECK_CLOSE(scanned.distances[i], expected.distances[i], 1e-13 * expected.distances[i]);
  }
  for (const Index leaf_size : {1, 8, 24, 1000}) {
    const KdTree<T> tree(row_view, leaf_size, 2, stop);
    Result found(m, k);
    tree.query(query_view, euclidean, 2, stop, found.table());
    check_equal(found, scanned);
  }
  const ProductFilter<T> filter(row_view, 2, stop);
  Result filtered(m, k);
  filter.query(row_view, query_view, 2, stop, filtered.table());
  check_equal(filtered, scanned);
}

}  // namespace

TEST(neighbor_searches_agree) {
  check_all_searches<double>(1, 3, 4, 1, 0.0);
  check_all_searches<double>(7, 2, 5, 7, 0.0);
  check_all_searches<double>(700, 3, 70, 5, 0.0);
  check_all_searches<float>(700, 6, 70, 3, 0.0);
  check_all_searches<double>(1500, 17, 40, 11, 0.0);
}

// Coordinates on a coarse grid: many equal distances, taken by row number.
TEST(neighbor_ties_go_to_the_lower_row) {
  check_all_searches<double>(900, 2, 60, 9, 0.5);
  check_all_searches<float>(900, 3, 60, 30, 1.0);
  check_all_searches<double>(900, 2, 60, 4, 100.0);  // all rows equal
}

TEST(tree_with_other_metrics_agrees_with_scan) {
  const Index n = 500, m = 30, columns = 4, k = 6;
  const auto rows = normal_table<double>(n, columns, 5), queries = normal_table<double>(m, columns, 6);
  const View2D<const double> row_view(rows.data(), n, columns), query_view(queries.data(), m, columns);
  const std::vector<double> weights{0.5, 0.0, 2.0, 1.0};
  StopToken stop;
  const KdTree<double> tree(row_view, 16, 1, stop);
  for (const Metric& metric :
       {Metric{MetricKind::manhattan, 1.0, nullptr}, Metric{MetricKind::chebyshev, 0.0, nullptr},
        Metric{MetricKind::minkowski, 3.5, nullptr}, Metric{MetricKind::minkowski, 1.5, weights.data()}}) {
    Result by_tree(m, k), by_scan(m, k);
    tree.query(query_view, metric, 1, stop, by_tree.table());
    scan(row_view, query_view, metric, 1, stop, by_scan.table());
    check_equal(by_tree, by_scan);
  }
}

TEST(sparse_scan_agrees_with_dense) {
  const Index n = 120, m = 20, columns = 9, k = 4;
  auto sparsified = [&](Index rows, std::uint64_t seed) {
    auto values = normal_table<double>(rows, columns, seed);
    for (double& value : values) value = std::abs(value) < 0.8 ? 0.0 : value;
    return values;
  };
  const auto rows = sparsified(n, 7), queries = sparsified(m, 8);
  struct Compressed {
    std::vector<double> values;
    std::vector<std::int64_t> columns, starts{0};
  };
  auto compress = [&](const std::vector<double>& dense) {
    Compressed result;
    for (std::size_t i = 0; i < dense.size(); ++i) {
      if (dense[i] != 0.0) {
        result.values.push_back(dense[i]);
        result.columns.push_back(static_cast<std::int64_t>(i % static_cast<std::size_t>(columns)));
      }
      if ((i + 1) % static_cast<std::size_t>(columns) == 0) {
        result.starts.push_back(static_cast<std::int64_t>(result.values.size()));
      }
    }
    return result;
  };
  const Compressed row_parts = compress(rows), query_parts = compress(queries);
  const SparseRows<double> sparse_rows{row_parts.values, row_parts.columns, row_parts.starts};
  const SparseRows<double> sparse_queries{query_parts.values, query_parts.columns, query_parts.starts};
  StopToken stop;
  for (const MetricKind kind :
       {MetricKind::squared_euclidean, MetricKind::manhattan, MetricKind::chebyshev}) {
    const Metric metric{kind, 2.0, nullptr};
    Result sparse(m, k), dense(m, k);
    sparse_scan(sparse_rows, sparse_queries, metric, 2, stop, sparse.table());
    scan(View2D<const double>(rows.data(), n, columns), View2D<const double>(queries.data(), m, columns),
         metric, 2, stop, dense.table());
    for (std::size_t i = 0; i < dense.distances.size(); ++i) {
      CHECK_CLOSE(sparse.distances[i], dense.distances[i], 1e-13 * (1.0 + dense.distances[i]));
    }
  }
}

TEST(selection_fills_every_place_even_with_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> given{3.0, 1.0, 1.0, 2.0, nan, nan, nan, nan};
  StopToken stop;
  Result found(2, 3);
  select_smallest(View2D<const double>(given.data(), 2, 4), 1, stop, found.table());
  CHECK((std::vector<Index>(found.rows.begin(), found.rows.begin() + 3) == std::vector<Index>{1, 2, 3}));
  CHECK(*std::min_element(found.rows.begin(), found.rows.end()) >= 0);
}

}  // namespace certus::geometry
