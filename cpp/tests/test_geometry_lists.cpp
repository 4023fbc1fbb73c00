#include <numeric>
#include <vector>

#include "core/rng.hpp"
#include "geometry/kd_tree.hpp"
#include "geometry/pairwise.hpp"
#include "geometry/spanning_tree.hpp"
#include "geometry/within.hpp"
#include "tests/check.hpp"

namespace certus::geometry {
namespace {

constexpr Metric euclidean{MetricKind::squared_euclidean, 2.0, nullptr};

// Small whole numbers: distances are exact and most of them tie.
std::vector<double> grid_table(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  for (double& value : values) value = std::round(2.0 * rng.normal());
  return values;
}

struct Lists {
  std::vector<Index> starts, rows;
  std::vector<double> distances;
  explicit Lists(WithinLists& found)
      : starts(static_cast<std::size_t>(found.queries()) + 1),
        rows(static_cast<std::size_t>(found.total())),
        distances(rows.size()) {
    found.move_to(starts, rows, distances);
  }
};

struct Tree {
  explicit Tree(Index rows)
      : from(static_cast<std::size_t>(rows - 1)), to(from.size()), length(from.size()) {}
  SpanningTree view() { return {from, to, length}; }
  double total() const { return std::accumulate(length.begin(), length.end(), 0.0); }
  std::vector<Index> from, to;
  std::vector<double> length;
};

}  // namespace

TEST(radius_lists_and_counts_agree) {
  const Index n = 333, d = 3;
  const auto values = grid_table(n, d, 1);
  const View2D<const double> rows(values.data(), n, d);
  const std::vector<double> limits(static_cast<std::size_t>(n), 3.0);
  StopToken stop;
  const KdTree<double> tree(rows, 8, 1, stop);
  WithinLists by_tree(n), by_scan(n);
  tree.within(rows, euclidean, limits, 2, stop, by_tree);
  scan_within(rows, rows, euclidean, limits, 1, stop, by_scan);
  const Lists first(by_tree), second(by_scan);
  CHECK(first.starts == second.starts);
  CHECK(first.rows == second.rows);
  CHECK(first.distances == second.distances);
  std::vector<Index> counts(static_cast<std::size_t>(n)), others(counts.size());
  tree.count_within(rows, euclidean, limits, tree.rows(), 2, stop, counts);
  scan_counts(rows, rows, euclidean, limits, 1, stop, others);
  CHECK(counts == others);
  CHECK(std::accumulate(counts.begin(), counts.end(), Index{0}) == first.starts.back());
}

TEST(both_spanning_trees_are_equally_long) {
  const Index n = 301, d = 2;
  const auto values = grid_table(n, d, 2);
  const View2D<const double> rows(values.data(), n, d);
  StopToken stop;
  const KdTree<double> index(rows, 16, 1, stop);
  const std::vector<double> none, core(static_cast<std::size_t>(n), 1.0);
  for (const auto* cores : {&none, &core}) {
    Tree grown(n), joined(n);
    prim(rows, std::span<const double>(*cores), euclidean, 2, stop, grown.view());
    CHECK(boruvka(index, std::span<const double>(*cores), euclidean, 2, stop, joined.view()) == n - 1);
    CHECK(grown.total() == joined.total());
  }
}

TEST(sums_by_label_count_every_pair) {
  const Index n = 200, d = 4, classes = 3;
  const auto values = grid_table(n, d, 3);
  const View2D<const double> rows(values.data(), n, d);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    labels[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * classes / n);
  std::vector<double> all(static_cast<std::size_t>(n * n)), once(static_cast<std::size_t>(n * classes)),
      full(once);
  StopToken stop;
  pairwise(rows, rows, euclidean, 1, stop, View2D<double>(all.data(), n, n));
  label_sums(rows, labels, rows, euclidean, Root::none, 1, stop, View2D<double>(full.data(), n, classes));
  label_sums_among(rows, labels, rows, euclidean, Root::none, 2, stop,
                   View2D<double>(once.data(), n, classes));
  CHECK(full == once);  // sums of whole numbers are exact
  CHECK(std::accumulate(all.begin(), all.end(), 0.0) == std::accumulate(once.begin(), once.end(), 0.0));
}

}  // namespace certus::geometry
