#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "cluster/assign.hpp"
#include "cluster/grouped_rows.hpp"
#include "cluster/lloyd.hpp"
#include "cluster/seeding.hpp"
#include "core/rng.hpp"
#include "tests/check.hpp"

namespace certus::cluster {
namespace {

template <class T>
std::vector<T> clouds(Index rows, Index columns, Index count) {
  Rng rng(1);
  std::vector<T> values(static_cast<std::size_t>(rows * columns));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      const double middle = 10.0 * static_cast<double>((i % count) * (j % 2 == 0 ? 1 : -1));
      values[static_cast<std::size_t>(i * columns + j)] = static_cast<T>(middle + rng.normal());
    }
  }
  return values;
}

template <class T>
void check_against_plain_loops(Index rows, Index columns, Index count, int threads) {
  const std::vector<T> values = clouds<T>(rows, columns, count);
  const View2D<const T> table(values.data(), rows, columns);
  std::vector<double> centers(static_cast<std::size_t>(count * columns));
  std::copy_n(values.begin(), centers.size(), centers.begin());
  const View2D<double> view(centers.data(), count, columns);
  const std::vector<double> offset(static_cast<std::size_t>(columns), 0.0),
      weights(static_cast<std::size_t>(rows), 1.0);
  StopToken stop;
  const GroupedRows<T> grouped(table, offset, threads, stop);
  const LloydResult result = lloyd<T>(table, grouped, offset, weights, view, 100, 0.0, threads, stop);
  CHECK(result.settled);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(rows));
  std::vector<double> squared(static_cast<std::size_t>(rows));
  assign<T>(table, view, threads, stop, labels, squared);
  for (Index i = 0; i < rows; ++i) {
    double best = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < count; ++c) {
      double sum = 0.0;
      for (Index j = 0; j < columns; ++j) {
        const double difference = static_cast<double>(table(i, j)) - view(c, j);
        sum += difference * difference;
      }
      best = std::min(best, sum);
    }
    CHECK_CLOSE(squared[static_cast<std::size_t>(i)], best, 1e-6 * (1.0 + best));
  }
  for (Index c = 0; c < count; ++c) {  // every center is the mean of its rows
    for (Index j = 0; j < columns; ++j) {
      double sum = 0.0;
      Index members = 0;
      for (Index i = 0; i < rows; ++i) {
        if (labels[static_cast<std::size_t>(i)] != c) continue;
        sum += static_cast<double>(table(i, j));
        ++members;
      }
      CHECK_CLOSE(view(c, j), sum / static_cast<double>(members), 1e-9 * (1.0 + std::abs(sum)));
    }
  }
}

TEST(lloyd_ends_at_means_of_nearest_rows) {
  for (const int threads : {1, 3}) {
    check_against_plain_loops<double>(1003, 3, 4, threads);
    check_against_plain_loops<float>(517, 5, 3, threads);
    check_against_plain_loops<double>(17, 1, 2, threads);
  }
}

TEST(seeds_are_different_rows_far_apart) {
  const Index rows = 300, columns = 2, count = 3;
  const std::vector<double> values = clouds<double>(rows, columns, count);
  const std::vector<double> offset(2, 0.0), weights(static_cast<std::size_t>(rows), 1.0);
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows)), chosen(3);
  std::iota(order.begin(), order.end(), 0);
  StopToken stop;
  const GroupedRows<double> grouped({values.data(), rows, columns}, offset, 2, stop);
  const std::vector<double> uniforms = {0.1, 0.5, 0.9, 0.999999999999999, 0.3, 0.2, 0.0, 0.6, 0.8};
  seed_centers<double>(grouped, weights, order, {uniforms.data(), 3, 3}, 2, stop, chosen);
  std::vector<std::int64_t> clusters;
  for (const std::int64_t row : chosen) clusters.push_back(row % count);
  std::sort(clusters.begin(), clusters.end());
  CHECK(clusters == (std::vector<std::int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace certus::cluster
