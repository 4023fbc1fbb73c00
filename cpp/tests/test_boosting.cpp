#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "boosting/binning.hpp"
#include "boosting/grow.hpp"
#include "boosting/losses.hpp"
#include "boosting/predict.hpp"
#include "boosting/quantile.hpp"
#include "boosting/sort_values.hpp"
#include "check.hpp"
#include "core/rng.hpp"

namespace {

using namespace certus;
using namespace certus::boosting;

// A table of numbers with missing values and one categorical column, in bins, and derivatives for its rows.
struct Problem {
  Problem(Index rows_, Index columns_, std::uint64_t seed)
      : rows(rows_),
        columns(columns_),
        x(rows_ * columns_),
        edges(columns_ * max_edges),
        counts(columns_),
        bins(columns_),
        categorical(columns_),
        missing(columns_),
        by_column(rows_ * columns_),
        by_row(rows_ * columns_),
        gradients(rows_),
        hessians(rows_) {
    Rng rng(seed);
    categorical[columns - 1] = 1;
    for (Index row = 0; row < rows; ++row) {
      for (Index j = 0; j < columns; ++j) {
        double& value = x[row * columns + j];
        value = categorical[j] ? static_cast<double>(rng.below(20)) : rng.normal();
        if (rng.uniform() < 0.05) value = std::numeric_limits<double>::quiet_NaN();
      }
      gradients[row] = rng.normal() + (x[row * columns] > 0.3 ? 1.0 : 0.0);
      hessians[row] = 0.1 + rng.uniform();
    }
    std::vector<Row> all(rows);
    for (Index row = 0; row < rows; ++row) all[row] = static_cast<Row>(row);
    StopToken stop;
    const View2D<double> borders(edges.data(), columns, max_edges);
    find_edges<double>(view(), all, {}, categorical, 255, false, borders, counts, 2, stop);
    counts[columns - 1] = 20;
    bin_table<double>(view(), borders, counts, categorical, by_column.data(), by_row.data(), missing, 2,
                      stop);
    for (Index j = 0; j < columns; ++j) bins[j] = counts[j] + (categorical[j] ? 0 : 1);
    table.rows = rows;
    table.columns = columns;
    table.by_column = by_column.data();
    table.by_row = by_row.data();
    table.bins = bins;
    table.has_missing = missing;
    table.categorical = categorical;
    table.edges = borders;
  }

  View2D<const double> view() const { return {x.data(), rows, columns}; }

  Index rows, columns;
  std::vector<double> x, edges;
  std::vector<std::uint16_t> counts, bins;
  std::vector<std::uint8_t> categorical, missing;
  std::vector<Bin> by_column, by_row;
  std::vector<double> gradients, hessians;
  BinnedTable table;
};

GrowOptions options() {
  GrowOptions found;
  found.max_leaves = 31;
  found.rules.min_rows = 5.0;
  return found;
}

}  // namespace

TEST(boosting_bins_lie_between_their_edges) {
  const Problem problem(3000, 5, 1);
  for (Index j = 0; j + 1 < problem.columns; ++j) {
    for (Index row = 0; row < problem.rows; ++row) {
      const double value = problem.x[row * problem.columns + j];
      const int bin = problem.table.column(j)[row];
      if (std::isnan(value)) {
        CHECK_EQUAL(bin, missing_bin);
        continue;
      }
      CHECK(bin == 0 || problem.table.edges(j, bin - 1) < value);
      CHECK(bin == problem.counts[j] || value <= problem.table.edges(j, bin));
    }
  }
}

TEST(boosting_trees_do_not_depend_on_threads) {
  for (const Index rows : {700, 40000}) {  // the fine and the coarse grid
    const Problem problem(rows, 37, 2);
    std::vector<std::vector<double>> predictions;
    for (const int threads : {1, 2, 5}) {
      StopToken stop;
      Grower grower(problem.table, options(), {}, threads);
      grower.grow(problem.gradients, problem.hessians, 0, stop);
      predictions.emplace_back(rows);
      grower.add_values(predictions.back(), stop);
    }
    CHECK(predictions[0] == predictions[1]);
    CHECK(predictions[0] == predictions[2]);
  }
}

TEST(boosting_prediction_finds_the_leaves_of_training) {
  const Problem problem(5000, 6, 3);
  StopToken stop;
  Grower grower(problem.table, options(), {}, 2);
  const Tree& tree = grower.grow(problem.gradients, problem.hessians, 0, stop);
  std::vector<double> expected(problem.rows), found(problem.rows);
  grower.add_values(expected, stop);
  const std::int64_t starts[] = {0, static_cast<std::int64_t>(tree.nodes.size())};
  const std::int64_t sets[] = {0, static_cast<std::int64_t>(tree.category_sets.size())};
  const PackedTrees packed(tree.nodes, starts, tree.category_sets, sets);
  packed.add<double>(problem.view(), 0, 1, View2D<double>(found.data(), 1, problem.rows), 2, stop);
  CHECK(expected == found);
}

TEST(boosting_blocks_of_rows_and_single_rows_end_in_the_same_leaves) {
  std::vector<Node> nodes(
      5);  // column 0 up to 0 or missing: 1; else column 1 up to 5: 2, beyond or missing: 3
  for (const int inner : {0, 2}) {
    nodes[inner].left = inner + 1;
    nodes[inner].column = inner / 2;
    nodes[inner].threshold = inner == 0 ? 0.0 : 5.0;
    nodes[inner].missing_left = inner == 0;
  }
  nodes[1].value = 1.0, nodes[3].value = 2.0, nodes[4].value = 3.0;
  const std::int64_t starts[] = {0, 5}, sets[] = {0, 0};
  const PackedTrees packed(nodes, starts, {}, sets);
  const double gap = std::numeric_limits<double>::quiet_NaN(),
               cases[][2] = {{-1.0, 9.0}, {0.0, 9.0}, {gap, 9.0}, {1.0, 5.0},
                             {1.0, 5.1},  {1.0, gap}, {1.0, -9.0}};
  const double leaves[] = {1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 2.0};
  for (const Index rows : {1, 7, 8, 64, 71, 200}) {
    std::vector<double> x, expected, found(static_cast<std::size_t>(rows), 0.0);
    for (Index row = 0; row < rows; ++row) {
      x.insert(x.end(), cases[row % 7], cases[row % 7] + 2);
      expected.push_back(leaves[row % 7]);
    }
    StopToken stop;
    packed.add<double>(View2D<const double>(x.data(), rows, 2), 0, 1, View2D<double>(found.data(), 1, rows),
                       1, stop);
    CHECK(expected == found);
  }
}

TEST(boosting_numbers_sorted_by_digits) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Index count : {0, 1, 100, 2048, 30000}) {
    Rng rng(7, static_cast<std::uint64_t>(count));
    std::vector<double> values{infinity, -infinity, 0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308};
    for (Index i = 0; i < count; ++i)
      values.push_back(std::ldexp(rng.uniform() - 0.5, static_cast<int>(i % 90) - 45));
    std::vector<double> expected = values;
    std::sort(expected.begin(), expected.end());
    sort_values(values);
    CHECK(values == expected);
  }
  std::vector<double> equal(5000, 3.5);
  sort_values(equal);
  CHECK(equal == std::vector<double>(5000, 3.5));
}

TEST(boosting_weights_repeat_rows) {
  Problem problem(400, 4, 4);
  std::vector<double> weights(problem.rows, 1.0);
  for (Index row = 0; row < problem.rows; row += 3) weights[row] = 2.0;
  StopToken stop;
  Grower weighted(problem.table, options(), weights, 1);
  double expected = 0.0, total = 0.0;
  for (Index row = 0; row < problem.rows; ++row) {
    expected += weights[row] * problem.gradients[row];
    total += weights[row] * problem.hessians[row];
  }
  const Tree& tree = weighted.grow(problem.gradients, problem.hessians, 0, stop);
  CHECK_CLOSE(tree.nodes[0].value, -expected / total, 1e-7);
}

TEST(boosting_weighted_quantiles) {
  std::vector<WeightedValue> values = {{3.0, 1.0}, {1.0, 1.0}, {2.0, 1.0}, {4.0, 1.0}};
  CHECK_CLOSE(weighted_quantile(values, 0.5), 2.5, 0.0);
  CHECK_CLOSE(weighted_quantile(values, 0.6), 3.0, 0.0);
  CHECK_CLOSE(weighted_quantile(values, 1.0), 4.0, 0.0);
  values[0].weight = 5.0;  // the values are sorted now
  CHECK_CLOSE(weighted_quantile(values, 0.5), 1.0, 0.0);
}

TEST(boosting_derivatives_are_those_of_the_losses) {
  StopToken stop;
  const std::vector<double> target = {0.0, 1.0, 1.0}, raw = {0.3, -1.2, 2.0};
  constexpr double h = 1e-5;
  for (const LossKind kind : {LossKind::squared, LossKind::poisson, LossKind::gamma, LossKind::logistic}) {
    const Loss loss{kind};
    std::vector<double> gradients(3), hessians(3);
    loss_gradients(loss, {target, {}}, raw, gradients, hessians, 1, stop);
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const std::vector<double> y = {target[i]};
      const auto at = [&](double r) { return mean_loss(loss, {y, {}}, std::vector<double>{r}, 1, stop); };
      CHECK_CLOSE(gradients[i], (at(raw[i] + h) - at(raw[i] - h)) / (2 * h), 1e-6);
      CHECK_CLOSE(hessians[i], (at(raw[i] + h) - 2 * at(raw[i]) + at(raw[i] - h)) / (h * h), 1e-4);
    }
  }
}
