#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "core/rng.hpp"
#include "ensemble/bootstrap.hpp"
#include "ensemble/compact_forest.hpp"
#include "ensemble/forest.hpp"
#include "ensemble/stumps.hpp"
#include "ensemble/subsample.hpp"
#include "trees/predict.hpp"

namespace {

using namespace certus;
using namespace certus::ensemble;
using trees::Row;
using trees::Target;
using trees::TreeNodes;

constexpr Index rows = 130, columns = 4;

struct Problem {
  Problem() : x(rows * columns), labels(rows), weights(rows), all(rows) {
    Rng rng(7);
    for (float& value : x) value = static_cast<float>(std::round(3.0 * rng.normal()) / 3.0);
    for (Index row = 0; row < rows; ++row) {
      labels[row] = static_cast<std::uint32_t>(x[row * columns + 1] + 0.5 * rng.normal() > 0.0);
      weights[row] = 0.1 + rng.uniform();
      all[row] = static_cast<Row>(row);
    }
    target.rows = rows;
    target.labels = labels.data();
    target.classes = {2};
    target.max_classes = 2;
  }

  View2D<const float> table() const { return {x.data(), rows, columns}; }

  ForestOptions options(const BagRule& bag) const {
    ForestOptions options;
    options.tree.criterion = trees::CriterionKind::gini;
    options.tree.max_depth = 1000;
    options.tree.max_features = 2;
    options.bag = bag;
    return options;
  }

  std::vector<float> x;
  std::vector<std::uint32_t> labels;
  std::vector<double> weights;
  std::vector<Row> all;
  Target target;
};

const std::vector<std::uint64_t> seeds{3, 1, 4, 15, 9};

// The trees one after the other, as a packed forest wants them.
struct Joined {
  explicit Joined(const std::vector<TreeNodes>& trees) : offsets{0} {
    for (const TreeNodes& tree : trees) {
      left.insert(left.end(), tree.left.begin(), tree.left.end());
      right.insert(right.end(), tree.right.begin(), tree.right.end());
      feature.insert(feature.end(), tree.feature.begin(), tree.feature.end());
      threshold.insert(threshold.end(), tree.threshold.begin(), tree.threshold.end());
      missing_left.insert(missing_left.end(), tree.missing_left.begin(), tree.missing_left.end());
      value.insert(value.end(), tree.value.begin(), tree.value.end());
      offsets.push_back(static_cast<std::int64_t>(left.size()));
    }
  }
  CompactForest pack() const { return {offsets, left, right, feature, threshold, missing_left}; }

  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> left, right, feature;
  std::vector<double> threshold, value;
  std::vector<std::uint8_t> missing_left;
};

// Row i's leaf, followed by hand.
Index leaf_of(const TreeNodes& tree, const float* row) {
  Index node = 0;
  while (tree.left[node] != trees::no_child) {
    const bool goes_left = row[tree.feature[node]] <= tree.threshold[node];
    node = goes_left ? tree.left[node] : tree.right[node];
  }
  return node;
}

TEST(forest_has_equal_bits_for_any_number_of_threads) {
  const Problem problem;
  const BagRule bag{rows, rows, {}, true};
  StopToken stop;
  const auto one =
      grow_forest_dense(problem.table(), problem.target, {seeds, seeds}, problem.options(bag), 1, stop);
  const auto two =
      grow_forest_dense(problem.table(), problem.target, {seeds, seeds}, problem.options(bag), 2, stop);
  CHECK_EQUAL(one.size(), seeds.size());
  for (std::size_t tree = 0; tree < one.size(); ++tree) {
    CHECK(one[tree].threshold == two[tree].threshold);
    CHECK(one[tree].value == two[tree].value);
    CHECK(one[tree].left == two[tree].left);
  }
}

TEST(out_of_bag_judgments_equal_those_by_hand) {
  const Problem problem;
  const BagRule bag{rows, rows, {}, true};
  StopToken stop;
  const auto forest =
      grow_forest_dense(problem.table(), problem.target, {seeds, seeds}, problem.options(bag), 2, stop);
  const Joined joined(forest);
  const CompactForest compact = joined.pack();
  const Index words = rows / 64 + 1;
  const auto trees_count = static_cast<Index>(seeds.size());
  std::vector<std::uint64_t> in_bag(trees_count * words), errors(trees_count * words);
  mark_bags(bag, seeds, in_bag, words, 2, stop);
  std::vector<double> sums(rows * 2), found(rows * 2);
  std::vector<std::int64_t> judges(rows), leaves(rows * trees_count);
  compact.judge_out_of_bag(problem.table(), joined.value.data(), 2,
                           {in_bag, words, sums, judges, problem.labels.data(), errors}, 2, stop);
  compact.sum(problem.table(), joined.value.data(), 2, found, 2, stop);
  compact.apply(problem.table(), leaves, 2, stop);
  std::vector<std::uint32_t> counts(rows);
  std::vector<double> plain(rows * 2), whole(rows * 2);
  std::vector<std::int64_t> plain_judges(rows);
  for (Index tree = 0; tree < trees_count; ++tree) {
    draw_counts(bag, seeds[tree], counts);
    for (Index row = 0; row < rows; ++row) {
      const Index leaf = leaf_of(forest[tree], problem.x.data() + row * columns);
      CHECK_EQUAL(leaves[row * trees_count + tree], leaf);
      const double* shares = forest[tree].value.data() + 2 * leaf;
      for (Index k = 0; k < 2; ++k) whole[2 * row + k] += shares[k];
      const bool inside = (in_bag[tree * words + row / 64] >> (row % 64)) & 1;
      CHECK_EQUAL(inside, counts[row] > 0);
      const bool wrong = (errors[tree * words + row / 64] >> (row % 64)) & 1;
      CHECK_EQUAL(wrong, !inside && (shares[1] > shares[0]) != (problem.labels[row] == 1));
      if (inside) continue;
      for (Index k = 0; k < 2; ++k) plain[2 * row + k] += shares[k];
      ++plain_judges[row];
    }
  }
  CHECK(plain == sums);
  CHECK(whole == found);
  CHECK(plain_judges == judges);
}

TEST(common_bits_are_counted) {
  const std::vector<std::uint64_t> bits{0b1011, 1, 0b0110, 3, ~std::uint64_t{0}, 0};
  const View2D<const std::uint64_t> view(bits.data(), 3, 2);
  std::vector<std::int64_t> counts(9);
  StopToken stop;
  count_common_bits(view, view, counts, 2, stop);
  for (Index a = 0; a < 3; ++a) {
    for (Index b = 0; b < 3; ++b) {
      CHECK_EQUAL(counts[3 * a + b], std::popcount(bits[2 * a] & bits[2 * b]) +
                                         std::popcount(bits[2 * a + 1] & bits[2 * b + 1]));
    }
  }
}

TEST(whole_weights_draw_the_bags_of_repeated_rows) {
  const std::vector<double> running{1.0, 3.0, 3.0, 6.0};  // weights 1, 2, 0, 3
  const BagRule weighted{4, 6, running, true}, repeated{6, 6, {}, true};
  const std::vector<std::uint32_t> source{0, 1, 1, 3, 3, 3};
  std::vector<std::uint32_t> counts(4), each(6);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    draw_counts(weighted, seed, counts);
    draw_counts(repeated, seed, each);
    std::vector<std::uint32_t> plain(4);
    for (std::size_t i = 0; i < 6; ++i) plain[source[i]] += each[i];
    CHECK(plain == counts);
  }
}

TEST(stump_has_the_least_weighted_error) {
  const Problem problem;
  StopToken stop;
  const auto listed = trees::ListedColumns::dense(problem.table(), problem.all, 1, stop);
  const StumpSearch search(*listed, problem.all, problem.labels, 2, 2, stop);
  const Stump stump = search.best(problem.weights, 2, stop);
  const double found = std::min(stump.left[0], stump.left[1]) + std::min(stump.right[0], stump.right[1]);
  double least = 1e300;
  for (Index column = 0; column < columns; ++column) {
    for (Index at = 0; at < rows; ++at) {
      double sides[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
      for (Index row = 0; row < rows; ++row) {
        const bool goes_right = problem.x[row * columns + column] > problem.x[at * columns + column];
        sides[goes_right][problem.labels[row]] += problem.weights[row];
      }
      least = std::min(least, std::min(sides[0][0], sides[0][1]) + std::min(sides[1][0], sides[1][1]));
    }
  }
  CHECK_CLOSE(found, least, 1e-9);
}

TEST(samples_have_their_size_and_are_even) {
  constexpr Index size = 20, wanted = 7, repeats = 4000;
  std::vector<double> uniform(size);
  std::vector<std::uint8_t> marked(size);
  std::vector<Index> hits(size);
  Rng rng(11);
  for (Index repeat = 0; repeat < repeats; ++repeat) {
    for (double& number : uniform) number = rng.uniform();
    CHECK_EQUAL(mark_sample(uniform, wanted, marked), wanted);
    CHECK_EQUAL(std::count(marked.begin(), marked.end(), 1), wanted);
    for (Index row = 0; row < size; ++row) hits[row] += marked[row];
  }
  const double expected = static_cast<double>(repeats * wanted) / size;
  for (const Index count : hits) CHECK_CLOSE(static_cast<double>(count), expected, 5.0 * std::sqrt(expected));
}

TEST(shared_columns_grow_the_tree_of_their_rows) {
  const Problem problem;
  StopToken stop;
  trees::GrowOptions options;
  options.criterion = trees::CriterionKind::gini;
  options.max_depth = 5;
  options.max_features = columns;
  const trees::SharedColumns shared(problem.table(), options, 2, stop);
  std::vector<Row> some;
  for (Row row = 0; row < rows; row += 2) some.push_back(row);
  for (const auto& chosen : {problem.all, some}) {
    const TreeNodes first = trees::grow_shared(shared, problem.target, chosen, options, 2, stop);
    const TreeNodes alone = trees::grow_dense(problem.table(), problem.target, chosen, options, 1, stop);
    CHECK(first.threshold == alone.threshold);
    CHECK(first.value == alone.value);
  }
}

}  // namespace
