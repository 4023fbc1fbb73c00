#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "core/rng.hpp"
#include "trees/columns.hpp"
#include "trees/grow.hpp"
#include "trees/predict.hpp"
#include "trees/prune.hpp"

namespace {

using namespace certus;
using namespace certus::trees;

// A table with ties, zeros and (if asked) missing values, and targets that depend on it.
struct Problem {
  Problem(Index rows_, Index columns_, double missing, std::uint64_t seed)
      : rows(rows_),
        columns(columns_),
        x(static_cast<std::size_t>(rows_ * columns_)),
        weights(rows_),
        values(rows_),
        labels(rows_),
        all(rows_) {
    Rng rng(seed);
    for (float& value : x) {
      value = static_cast<float>(std::round(4.0 * rng.normal()) / 4.0);
      if (rng.uniform() < missing) value = std::numeric_limits<float>::quiet_NaN();
    }
    for (Index row = 0; row < rows; ++row) {
      const float first = x[row * columns];
      values[row] = std::max(0.0, (std::isnan(first) ? 1.0 : first) + 2.0 + 0.5 * rng.normal());
      labels[row] = static_cast<std::uint32_t>(values[row]) % 3;
      weights[row] = 0.25 + rng.uniform();
      all[row] = static_cast<Row>(row);
    }
  }

  View2D<const float> table() const { return {x.data(), rows, columns}; }

  Target target(CriterionKind kind, bool weighted) const {
    Target target;
    target.rows = rows;
    if (kind == CriterionKind::gini || kind == CriterionKind::entropy) {
      target.labels = labels.data();
      target.classes = {3};
      target.max_classes = 3;
    } else {
      target.values = values.data();
      target.classes = {1};
    }
    if (weighted) target.weights = weights.data();
    return target;
  }

  GrowOptions options(CriterionKind kind) const {
    GrowOptions options;
    options.criterion = kind;
    options.max_depth = 1000;
    options.max_features = columns;
    return options;
  }

  Index rows, columns;
  std::vector<float> x;
  std::vector<double> weights, values;
  std::vector<std::uint32_t> labels;
  std::vector<Row> all;
};

constexpr CriterionKind all_kinds[] = {CriterionKind::gini, CriterionKind::entropy,
                                       CriterionKind::squared_error, CriterionKind::absolute_error,
                                       CriterionKind::poisson};

TreeNodes grow(const Problem& problem, const Target& target, const GrowOptions& options, int threads = 1) {
  StopToken stop;
  return grow_dense(problem.table(), target, problem.all, options, threads, stop);
}

// Children share out the rows of their parent, come after it, and lower its impurity together.
void check_structure(const TreeNodes& nodes) {
  for (Index i = 0; i < nodes.count(); ++i) {
    const auto left = nodes.left[i], right = nodes.right[i];
    CHECK_EQUAL(left < 0, right < 0);
    if (left < 0) continue;
    CHECK(left > i && right > i && left < nodes.count() && right < nodes.count());
    CHECK_EQUAL(nodes.rows[left] + nodes.rows[right], nodes.rows[i]);
    CHECK_CLOSE(nodes.weight[left] + nodes.weight[right], nodes.weight[i], 1e-9 * nodes.weight[i]);
    const double inside =
        nodes.weight[left] * nodes.impurity[left] + nodes.weight[right] * nodes.impurity[right];
    CHECK(inside <= nodes.weight[i] * nodes.impurity[i] + 1e-9);
  }
}

// As a single tree has them in Python.
std::vector<std::int64_t> wide(const std::vector<std::int32_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// Every row of the table reaches a leaf, and the leaves are reached by as many rows as they were made of.
void check_prediction(const Problem& problem, const TreeNodes& nodes) {
  std::vector<std::int64_t> numbers, starts{0};
  std::vector<std::uint32_t> codes;
  for (const auto& [node, set] : nodes.categories) {
    numbers.push_back(node);
    codes.insert(codes.end(), set.begin(), set.end());
    starts.push_back(static_cast<std::int64_t>(codes.size()));
  }
  const CompactTree compact(wide(nodes.left), wide(nodes.right), wide(nodes.feature), nodes.threshold,
                            nodes.missing_left, numbers, CategorySets(starts, codes));
  std::vector<std::int64_t> leaves(static_cast<std::size_t>(problem.rows));
  StopToken stop;
  compact.apply(problem.table(), leaves, 2, stop);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(nodes.count()), 0);
  for (const auto leaf : leaves) ++counts[leaf];
  for (Index i = 0; i < nodes.count(); ++i)
    CHECK_EQUAL(counts[i], nodes.left[i] < 0 ? std::int64_t{nodes.rows[i]} : 0);
}

// The same table by columns, without its zeros.
TreeNodes grow_from_sparse(const Problem& problem, const Target& target, const GrowOptions& options) {
  std::vector<float> data;
  std::vector<std::int32_t> indices, indptr{0};
  for (Index column = 0; column < problem.columns; ++column) {
    for (Index row = 0; row < problem.rows; ++row) {
      const float value = problem.x[row * problem.columns + column];
      if (value == 0.0f) continue;
      data.push_back(value);
      indices.push_back(static_cast<std::int32_t>(row));
    }
    indptr.push_back(static_cast<std::int32_t>(data.size()));
  }
  StopToken stop;
  return grow_sparse(data, indices, indptr, target, problem.all, options, 2, stop);
}

}  // namespace

TEST(entries_are_sorted_by_value_then_row_with_missing_last) {
  for (const Index count : {0, 1, 2, 100, 5000}) {
    Rng rng(7, static_cast<std::uint64_t>(count));
    std::vector<Entry> entries(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
      const float value = static_cast<float>(std::round(20.0 * rng.normal()));
      entries[i] = {rng.uniform() < 0.1 ? std::numeric_limits<float>::quiet_NaN() : value,
                    static_cast<Row>(i)};
    }
    ColumnScratch scratch;
    StopToken stop;
    sort_entries(entries.data(), count, scratch, stop);
    for (Index i = 1; i < count; ++i) {
      const Entry a = entries[i - 1], b = entries[i];
      if (std::isnan(b.value)) continue;
      CHECK(a.value < b.value || (a.value == b.value && a.row < b.row));
    }
  }
}

TEST(trees_of_every_criterion_are_sound) {
  for (const CriterionKind kind : all_kinds) {
    for (const bool weighted : {false, true}) {
      const Problem problem(300, 4, 0.1, 11);
      const TreeNodes nodes = grow(problem, problem.target(kind, weighted), problem.options(kind));
      CHECK(nodes.count() > 10);
      check_structure(nodes);
      check_prediction(problem, nodes);
    }
  }
}

TEST(tables_by_columns_give_the_same_trees) {
  for (const CriterionKind kind : all_kinds) {
    const Problem problem(200, 5, 0.0, 13);
    const Target target = problem.target(kind, false);
    const TreeNodes dense = grow(problem, target, problem.options(kind));
    const TreeNodes sparse = grow_from_sparse(problem, target, problem.options(kind));
    CHECK(dense.feature == sparse.feature);
    CHECK(dense.threshold == sparse.threshold);
  }
}

TEST(drawn_columns_and_random_thresholds) {
  for (const CriterionKind kind : all_kinds) {
    for (const bool random : {false, true}) {
      for (const Index max_features : {1, 20}) {
        const Problem problem(150, 40, 0.05, 17);
        GrowOptions options = problem.options(kind);
        options.max_features = max_features;
        options.random_thresholds = random;
        options.seed = 5;
        const TreeNodes nodes = grow(problem, problem.target(kind, true), options);
        check_structure(nodes);
        check_prediction(problem, nodes);
      }
    }
  }
}

TEST(threads_do_not_change_a_tree) {
  const Problem problem(20000, 20, 0.01, 19);
  for (const Index leaves : {-1, 50}) {
    GrowOptions options = problem.options(CriterionKind::squared_error);
    options.max_leaf_nodes = leaves;
    const Target target = problem.target(options.criterion, true);
    const TreeNodes one = grow(problem, target, options, 1), three = grow(problem, target, options, 3);
    CHECK(one.threshold == three.threshold);
    CHECK(one.value == three.value);
    CHECK(one.left == three.left);
    check_structure(one);
  }
}

TEST(categories_are_divided_and_found_again) {
  for (const double missing : {0.0, 0.2}) {
    Problem problem(3000, 3, missing, 41);
    for (Index row = 0; row < problem.rows; ++row) {  // codes 0 .. 19 in the first two columns
      for (Index column = 0; column < 2; ++column) {
        float& value = problem.x[row * 3 + column];
        if (!std::isnan(value)) value = std::fmod(std::abs(4.0f * value), 20.0f);
      }
    }
    const std::vector<std::uint8_t> categorical{1, 1, 0};
    for (const CriterionKind kind : all_kinds) {
      for (const bool random : {false, true}) {
        GrowOptions options = problem.options(kind);
        options.categorical = categorical;
        options.random_thresholds = random;
        options.max_depth = 6;
        const Target target = problem.target(kind, true);
        const TreeNodes one = grow(problem, target, options, 1), three = grow(problem, target, options, 3);
        CHECK(!one.categories.empty());
        CHECK(one.categories == three.categories);
        CHECK(one.left == three.left);
        check_structure(one);
        check_prediction(problem, one);
      }
    }
  }
}

TEST(a_request_to_stop_gives_an_empty_tree) {
  const Problem problem(500, 3, 0.0, 23);
  StopToken stop;
  stop.request();
  const Target target = problem.target(CriterionKind::gini, false);
  const TreeNodes nodes =
      grow_dense(problem.table(), target, problem.all, problem.options(CriterionKind::gini), 2, stop);
  CHECK_EQUAL(nodes.count(), Index{0});
}

TEST(pruning_ends_at_the_root_in_rising_order) {
  const Problem problem(300, 3, 0.0, 29);
  const TreeNodes nodes = grow(problem, problem.target(CriterionKind::squared_error, false),
                               problem.options(CriterionKind::squared_error));
  StopToken stop;
  const auto steps =
      pruning_sequence(wide(nodes.left), wide(nodes.right), nodes.impurity, nodes.weight, stop);
  CHECK_EQUAL(steps.back().node, std::int64_t{0});
  CHECK_CLOSE(steps.back().cost, nodes.impurity[0], 1e-9);
  for (std::size_t i = 1; i < steps.size(); ++i) CHECK(steps[i].alpha >= steps[i - 1].alpha - 1e-12);
}
