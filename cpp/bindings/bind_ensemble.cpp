#include <algorithm>
#include <vector>

#include "bindings/category_sets.hpp"
#include "bindings/common.hpp"
#include "bindings/sparse_table.hpp"
#include "boosting/binned_table.hpp"
#include "core/freed_memory.hpp"
#include "ensemble/compact_forest.hpp"
#include "ensemble/forest.hpp"
#include "ensemble/stumps.hpp"
#include "ensemble/subsample.hpp"

namespace certus::bindings {
namespace {

using ensemble::BagRule;
using ensemble::CompactForest;
using ensemble::ForestOptions;
using ensemble::StumpSearch;
using trees::Target;
using trees::TreeNodes;

// The grown trees, to be copied into arrays one after the other.
struct GrownForest {
  std::vector<TreeNodes> trees;
};

// Where the nodes of all trees go.
struct ForestArrays {
  std::int32_t *left, *right, *feature;
  double* threshold;
  std::uint8_t* missing_left;
  double* impurity;
  std::uint32_t* rows;
  double *weight, *value;

  void take(const TreeNodes& tree) {
    const auto copy = [](const auto& from, auto*& to) { to = std::copy(from.begin(), from.end(), to); };
    copy(tree.left, left);
    copy(tree.right, right);
    copy(tree.feature, feature);
    copy(tree.threshold, threshold);
    copy(tree.missing_left, missing_left);
    copy(tree.impurity, impurity);
    copy(tree.rows, rows);
    copy(tree.weight, weight);
    copy(tree.value, value);
  }
};

// Trees are given back as soon as they are copied, so that a forest is not in memory twice.
void move_nodes(GrownForest& forest, ForestArrays arrays) {
  constexpr Index nodes_per_trim = Index{1} << 19;
  Index nodes = 0;
  for (TreeNodes& tree : forest.trees) {
    arrays.take(tree);
    nodes += tree.count();
    tree = TreeNodes();
    if (nodes < nodes_per_trim) continue;
    release_freed_memory();
    nodes = 0;
  }
}

GrownForest grow_dense(StridedMatrix<const float> x, const Target& target,
                       Vector<const std::uint64_t> bag_seeds, Vector<const std::uint64_t> node_seeds,
                       const ForestOptions& options, int threads) {
  return run_kernel([&](StopToken& stop) {
    return GrownForest{ensemble::grow_forest_dense(view(x), target, {span(bag_seeds), span(node_seeds)},
                                                   options, threads, stop)};
  });
}

GrownForest grow_binned(const boosting::BinnedTable& table, Vector<const float> lowest,
                        StridedMatrix<const float> x, const Target& target,
                        Vector<const std::uint64_t> bag_seeds, Vector<const std::uint64_t> node_seeds,
                        const ForestOptions& options, int threads) {
  static_assert(boosting::missing_bin == trees::missing_bin);
  const trees::BinnedView bins{table.rows, table.columns, table.by_column, view(x), lowest.data()};
  return run_kernel([&](StopToken& stop) {
    return GrownForest{ensemble::grow_forest_binned(bins, target, {span(bag_seeds), span(node_seeds)},
                                                    options, threads, stop)};
  });
}

GrownForest grow_sparse(const SparseTable& x, const Target& target, Vector<const std::uint64_t> bag_seeds,
                        Vector<const std::uint64_t> node_seeds, const ForestOptions& options, int threads) {
  return run_kernel([&](StopToken& stop) {
    return GrownForest{ensemble::grow_forest_sparse(span(x.data), span(x.indices), span(x.indptr), target,
                                                    {span(bag_seeds), span(node_seeds)}, options, threads,
                                                    stop)};
  });
}

void bind_growing(nb::module_& m) {
  nb::class_<BagRule>(m, "BagRule", "How the rows of a bag are drawn.")
      .def(
          "__init__",
          [](BagRule* self, Index rows, Index draws, Vector<const double> cumulative, bool whole) {
            new (self) BagRule{rows, draws, span(cumulative), whole};
          },
          nb::arg("rows"), nb::arg("draws"), nb::arg("cumulative").noconvert(), nb::arg("whole"),
          nb::keep_alive<1, 4>());
  m.def(
      "draw_rows",
      [](const BagRule& rule, std::uint64_t seed, Vector<std::int32_t> drawn) {
        ensemble::draw_rows(rule, seed, span(drawn));
      },
      nb::arg("rule"), nb::arg("seed"), nb::arg("drawn").noconvert(), "The rows of one bag.");
  nb::class_<ForestOptions>(m, "ForestOptions", "How a forest is grown.")
      .def(nb::init<>())
      .def_rw("tree", &ForestOptions::tree)
      .def_rw("min_weight_fraction", &ForestOptions::min_weight_fraction)
      .def_rw("balance_classes", &ForestOptions::balance_classes)
      .def(
          "set_bag", [](ForestOptions& options, const BagRule& rule) { options.bag = rule; }, nb::arg("rule"),
          nb::keep_alive<1, 2>());
  nb::class_<GrownForest>(m, "GrownForest", "Grown trees, to be copied into arrays.")
      .def(
          "copy_sizes",
          [](const GrownForest& forest, Vector<std::int64_t> counts, Vector<std::int64_t> depths) {
            for (std::size_t i = 0; i < forest.trees.size(); ++i) {
              counts.data()[i] = forest.trees[i].count();
              depths.data()[i] = forest.trees[i].max_depth;
            }
          },
          nb::arg("counts").noconvert(), nb::arg("depths").noconvert(), "Nodes and depth of every tree.")
      .def(
          "move_nodes",
          [](GrownForest& forest, Vector<std::int32_t> left, Vector<std::int32_t> right,
             Vector<std::int32_t> feature, Vector<double> threshold, Vector<std::uint8_t> missing_left,
             Vector<double> impurity, Vector<std::uint32_t> rows, Vector<double> weight,
             Vector<double> value) {
            move_nodes(forest,
                       {left.data(), right.data(), feature.data(), threshold.data(), missing_left.data(),
                        impurity.data(), rows.data(), weight.data(), value.data()});
          },
          nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("feature").noconvert(),
          nb::arg("threshold").noconvert(), nb::arg("missing_left").noconvert(),
          nb::arg("impurity").noconvert(), nb::arg("rows").noconvert(), nb::arg("weight").noconvert(),
          nb::arg("value").noconvert(), "Move all nodes of all trees into arrays, one tree after the other.")
      .def_prop_ro("category_nodes",
                   [](const GrownForest& forest) {
                     Index nodes = 0;
                     for (const TreeNodes& tree : forest.trees) {
                       nodes += static_cast<Index>(tree.categories.size());
                     }
                     return nodes;
                   })
      .def_prop_ro("category_codes",
                   [](const GrownForest& forest) {
                     Index codes = 0;
                     for (const TreeNodes& tree : forest.trees) codes += tree.category_codes();
                     return codes;
                   })
      .def(
          "copy_categories",
          [](const GrownForest& forest, Vector<std::int64_t> numbers, Vector<std::int64_t> counts,
             Vector<std::uint32_t> codes) {
            CategoryPlaces places{numbers.data(), counts.data(), codes.data()};
            std::int64_t offset = 0;
            for (const TreeNodes& tree : forest.trees) {
              places = copy_category_sets(tree, offset, places);
              offset += tree.count();
            }
          },
          nb::arg("numbers").noconvert(), nb::arg("counts").noconvert(), nb::arg("codes").noconvert(),
          "Nodes that split by categories, numbered over all trees, the sizes of their sets, and the sets.");
  m.def("grow_forest", &grow_dense, nb::arg("x").noconvert(), nb::arg("target"),
        nb::arg("bag_seeds").noconvert(), nb::arg("node_seeds").noconvert(), nb::arg("options"),
        nb::arg("threads"), "Grow a tree per seed on a dense table.");
  m.def("grow_forest_binned", &grow_binned, nb::arg("table"), nb::arg("lowest").noconvert(),
        nb::arg("x").noconvert(), nb::arg("target"), nb::arg("bag_seeds").noconvert(),
        nb::arg("node_seeds").noconvert(), nb::arg("options"), nb::arg("threads"),
        "Grow a tree per seed on a table of bins.");
  m.def("grow_forest_sparse", &grow_sparse, nb::arg("x"), nb::arg("target"), nb::arg("bag_seeds").noconvert(),
        nb::arg("node_seeds").noconvert(), nb::arg("options"), nb::arg("threads"),
        "Grow a tree per seed on a table by columns.");
}

void bind_prediction(nb::module_& m) {
  nb::class_<CompactForest>(m, "CompactForest", "A forest packed for prediction.")
      .def(
          "__init__",
          [](CompactForest* self, Vector<const std::int64_t> offsets, Vector<const std::int32_t> left,
             Vector<const std::int32_t> right, Vector<const std::int32_t> feature,
             Vector<const double> threshold, Vector<const std::uint8_t> missing_left,
             Vector<const std::int64_t> category_nodes, Vector<const std::int64_t> starts,
             Vector<const std::uint32_t> codes) {
            new (self) CompactForest(span(offsets), span(left), span(right), span(feature), span(threshold),
                                     span(missing_left), span(category_nodes),
                                     trees::CategorySets(span(starts), span(codes)));
          },
          nb::arg("offsets").noconvert(), nb::arg("left").noconvert(), nb::arg("right").noconvert(),
          nb::arg("feature").noconvert(), nb::arg("threshold").noconvert(),
          nb::arg("missing_left").noconvert(), nb::arg("category_nodes").noconvert(),
          nb::arg("starts").noconvert(), nb::arg("codes").noconvert())
      .def(
          "sum",
          [](const CompactForest& forest, StridedMatrix<const float> x, Matrix<const double> values,
             Matrix<double> sums, int threads) {
            run_kernel([&](StopToken& stop) {
              forest.sum(view(x), values.data(), static_cast<Index>(values.shape(1)),
                         {sums.data(), sums.size()}, threads, stop);
            });
          },
          nb::arg("x").noconvert(), nb::arg("values").noconvert(), nb::arg("sums").noconvert(),
          nb::arg("threads"), "The sum of the leaf values of every row.")
      .def(
          "apply",
          [](const CompactForest& forest, StridedMatrix<const float> x, Matrix<std::int64_t> leaves,
             int threads) {
            run_kernel([&](StopToken& stop) {
              forest.apply(view(x), {leaves.data(), leaves.size()}, threads, stop);
            });
          },
          nb::arg("x").noconvert(), nb::arg("leaves").noconvert(), nb::arg("threads"),
          "The leaf of every row in every tree.")
      .def(
          "judge_out_of_bag",
          [](const CompactForest& forest, StridedMatrix<const float> x, Matrix<const double> values,
             Matrix<const std::uint64_t> in_bag, Vector<const std::uint32_t> labels, Matrix<double> sums,
             Vector<std::int64_t> trees, Matrix<std::uint64_t> errors, int threads) {
            const ensemble::OutOfBag out{{in_bag.data(), in_bag.size()},
                                         static_cast<Index>(in_bag.shape(1)),
                                         {sums.data(), sums.size()},
                                         span(trees),
                                         labels.size() > 0 ? labels.data() : nullptr,
                                         {errors.data(), errors.size()}};
            run_kernel([&](StopToken& stop) {
              forest.judge_out_of_bag(view(x), values.data(), static_cast<Index>(values.shape(1)), out,
                                      threads, stop);
            });
          },
          nb::arg("x").noconvert(), nb::arg("values").noconvert(), nb::arg("in_bag").noconvert(),
          nb::arg("labels").noconvert(), nb::arg("sums").noconvert(), nb::arg("trees").noconvert(),
          nb::arg("errors").noconvert(), nb::arg("threads"),
          "Sums, tree counts and errors of every row over the trees that have not seen it.");
  m.def(
      "mark_bags",
      [](const BagRule& rule, Vector<const std::uint64_t> seeds, Matrix<std::uint64_t> in_bag, int threads) {
        run_kernel([&](StopToken& stop) {
          ensemble::mark_bags(rule, span(seeds), {in_bag.data(), in_bag.size()},
                              static_cast<Index>(in_bag.shape(1)), threads, stop);
        });
      },
      nb::arg("rule"), nb::arg("seeds").noconvert(), nb::arg("in_bag").noconvert(), nb::arg("threads"),
      "One bit per tree and row: whether the row is in the tree's bag.");
  m.def(
      "count_common_bits",
      [](Matrix<const std::uint64_t> first, Matrix<const std::uint64_t> second, Matrix<std::int64_t> counts,
         int threads) {
        run_kernel([&](StopToken& stop) {
          ensemble::count_common_bits(view(first), view(second), {counts.data(), counts.size()}, threads,
                                      stop);
        });
      },
      nb::arg("first").noconvert(), nb::arg("second").noconvert(), nb::arg("counts").noconvert(),
      nb::arg("threads"), "For every pair of rows of bits, how many they have in common.");
}

StumpSearch search_dense(StridedMatrix<const float> x, Vector<const std::uint32_t> rows,
                         Vector<const std::uint32_t> labels, Index classes, int threads) {
  return run_kernel([&](StopToken& stop) {
    const auto columns = trees::ListedColumns::dense(view(x), span(rows), threads, stop);
    return StumpSearch(*columns, span(rows), span(labels), classes, threads, stop);
  });
}

StumpSearch search_sparse(const SparseTable& x, Vector<const std::uint8_t> kept,
                          Vector<const std::uint32_t> rows, Vector<const std::uint32_t> labels, Index classes,
                          int threads) {
  return run_kernel([&](StopToken& stop) {
    const auto columns = trees::ListedColumns::sparse(span(x.data), span(x.indices), span(x.indptr),
                                                      span(kept), threads, stop);
    return StumpSearch(*columns, span(rows), span(labels), classes, threads, stop);
  });
}

void bind_stumps(nb::module_& m) {
  nb::class_<StumpSearch>(m, "StumpSearch", "Sorted columns, to be searched for the best stump.")
      .def(
          "best",
          [](const StumpSearch& search, Vector<const double> weights, Vector<double> left,
             Vector<double> right, int threads) {
            const ensemble::Stump stump =
                run_kernel([&](StopToken& stop) { return search.best(span(weights), threads, stop); });
            std::copy(stump.left.begin(), stump.left.end(), left.data());
            std::copy(stump.right.begin(), stump.right.end(), right.data());
            return std::make_tuple(stump.feature, stump.threshold);
          },
          nb::arg("weights").noconvert(), nb::arg("left").noconvert(), nb::arg("right").noconvert(),
          nb::arg("threads"), "Column and threshold of the stump with the smallest weighted error.");
  m.def("stump_search", &search_dense, nb::arg("x").noconvert(), nb::arg("rows").noconvert(),
        nb::arg("labels").noconvert(), nb::arg("classes"), nb::arg("threads"),
        "Sort the columns of a dense table.");
  m.def("stump_search_sparse", &search_sparse, nb::arg("x"), nb::arg("kept").noconvert(),
        nb::arg("rows").noconvert(), nb::arg("labels").noconvert(), nb::arg("classes"), nb::arg("threads"),
        "Sort the columns of a table by columns.");
}

trees::SharedColumns shared_columns(StridedMatrix<const float> x, const trees::GrowOptions& options,
                                    int threads) {
  return run_kernel([&](StopToken& stop) { return trees::SharedColumns(view(x), options, threads, stop); });
}

void bind_stages(nb::module_& m) {
  nb::class_<trees::SharedColumns>(m, "SharedColumns", "The columns of a dense table, sorted if worth it.")
      .def(
          "grow",
          [](const trees::SharedColumns& columns, const Target& target, Vector<const std::uint32_t> rows,
             const trees::GrowOptions& options, int threads) {
            return run_kernel([&](StopToken& stop) {
              return trees::grow_shared(columns, target, span(rows), options, threads, stop);
            });
          },
          nb::arg("target"), nb::arg("rows").noconvert(), nb::arg("options"), nb::arg("threads"),
          "Grow a tree on some of the rows.");
  m.def("shared_columns", &shared_columns, nb::arg("x").noconvert(), nb::arg("options"), nb::arg("threads"),
        nb::keep_alive<0, 1>(), "Get the columns of a dense table ready for many trees.");
  m.def(
      "mark_sample",
      [](Vector<const double> uniform, Index wanted, Vector<std::uint8_t> marked) {
        return ensemble::mark_sample(span(uniform), wanted, span(marked));
      },
      nb::arg("uniform").noconvert(), nb::arg("wanted"), nb::arg("marked").noconvert(),
      "Mark a sample of the rows without replacement, decided by one uniform number per row.");
}

}  // namespace

void bind_ensemble(nb::module_& m) {
  bind_growing(m);
  bind_stages(m);
  bind_prediction(m);
  bind_stumps(m);
}

}  // namespace certus::bindings
