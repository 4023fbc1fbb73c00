#include "ensemble/forest.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace certus::ensemble {
namespace {

using trees::Row;
using trees::Target;
using trees::TreeNodes;

constexpr double most_counted = 2147483648.0;

// The rows that one tree sees, and their weights.
struct Bag {
  std::vector<Row> rows;
  std::vector<double> weights;  // by row of the table; empty if the target's own weights count
  double total = 0.0;
};

// Gives every class of every output the same total weight among the drawn rows (Chen, Liaw, Breiman 2004).
void balance(const Target& target, std::span<const std::uint32_t> counts, Bag& bag) {
  for (Index output = 0; output < target.outputs; ++output) {
    std::vector<double> drawn(static_cast<std::size_t>(target.classes[output]), 0.0);
    double all = 0.0;
    for (const Row row : bag.rows) {
      drawn[target.labels[row * target.outputs + output]] += counts[row];
      all += counts[row];
    }
    const auto present = static_cast<double>(
        std::count_if(drawn.begin(), drawn.end(), [](double weight) { return weight > 0.0; }));
    for (const Row row : bag.rows) {
      bag.weights[row] *= all / (present * drawn[target.labels[row * target.outputs + output]]);
    }
  }
}

Bag draw_bag(const Target& target, const ForestOptions& options, std::uint64_t seed) {
  Bag bag;
  const auto rows = static_cast<std::size_t>(target.rows);
  if (!options.bag) {
    for (Row row = 0; row < rows; ++row) {
      if (target.weight(row) > 0.0) bag.rows.push_back(row);
    }
  } else {
    std::vector<std::uint32_t> counts(rows);
    draw_counts(*options.bag, seed, counts);
    bag.weights.assign(counts.begin(), counts.end());
    bag.rows.reserve(static_cast<std::size_t>(
        std::count_if(counts.begin(), counts.end(), [](std::uint32_t count) { return count > 0; })));
    for (Row row = 0; row < rows; ++row) {
      if (counts[row] > 0) bag.rows.push_back(row);
    }
    if (options.balance_classes) balance(target, counts, bag);
  }
  for (const Row row : bag.rows) bag.total += bag.weights.empty() ? target.weight(row) : bag.weights[row];
  return bag;
}

// grow(target, rows, tree options, threads) grows one tree.
template <class Grow>
std::vector<TreeNodes> grow_forest(const Target& target, const ForestSeeds& seeds,
                                   const ForestOptions& options, int threads, StopToken& stop, Grow&& grow) {
  const auto count = static_cast<Index>(seeds.bags.size());
  std::vector<TreeNodes> forest(seeds.bags.size(), TreeNodes(target.value_size()));
  // Fewer trees than threads: one tree after the other, each by all threads.
  const bool by_tree = count >= threads;
  const auto grow_one = [&](Index tree, int) {
    const Bag bag = draw_bag(target, options, seeds.bags[tree]);
    if (stop.poll()) return;
    Target own = target;
    if (!bag.weights.empty()) {
      own.weights = bag.weights.data();
      own.counted = !options.balance_classes && bag.total < most_counted;
    }
    trees::GrowOptions tree_options = options.tree;
    tree_options.seed = seeds.nodes[tree];
    tree_options.min_weight_leaf = options.min_weight_fraction * bag.total;
    forest[tree] = grow(own, std::span<const Row>(bag.rows), tree_options, by_tree ? 1 : threads);
  };
  if (by_tree) {
    parallel_for(count, threads, stop, grow_one);
  } else {
    for (Index tree = 0; tree < count && !stop.poll(); ++tree) grow_one(tree, 0);
  }
  return forest;
}

}  // namespace

std::vector<TreeNodes> grow_forest_dense(View2D<const float> x, const Target& target,
                                         const ForestSeeds& seeds, const ForestOptions& options, int threads,
                                         StopToken& stop) {
  const trees::SharedColumns columns(x, options.tree, threads, stop);
  return grow_forest(
      target, seeds, options, threads, stop,
      [&](const Target& own, std::span<const Row> rows, const trees::GrowOptions& tree, int tree_threads) {
        return trees::grow_shared(columns, own, rows, tree, tree_threads, stop);
      });
}

std::vector<TreeNodes> grow_forest_binned(trees::BinnedView table, const Target& target,
                                          const ForestSeeds& seeds, const ForestOptions& options, int threads,
                                          StopToken& stop) {
  const trees::GatheredColumns by_columns(table.values, threads, stop);
  table.values = by_columns.table();
  return grow_forest(
      target, seeds, options, threads, stop,
      [&](const Target& own, std::span<const Row> rows, const trees::GrowOptions& tree, int tree_threads) {
        return trees::grow_binned(table, own, rows, tree, tree_threads, stop);
      });
}

std::vector<TreeNodes> grow_forest_sparse(std::span<const float> data, std::span<const std::int32_t> indices,
                                          std::span<const std::int32_t> indptr, const Target& target,
                                          const ForestSeeds& seeds, const ForestOptions& options, int threads,
                                          StopToken& stop) {
  return grow_forest(
      target, seeds, options, threads, stop,
      [&](const Target& own, std::span<const Row> rows, const trees::GrowOptions& tree, int tree_threads) {
        return trees::grow_sparse(data, indices, indptr, own, rows, tree, tree_threads, stop);
      });
}

}  // namespace certus::ensemble
