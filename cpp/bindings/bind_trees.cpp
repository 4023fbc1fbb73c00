#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/category_sets.hpp"
#include "bindings/common.hpp"
#include "bindings/sparse_table.hpp"
#include "trees/grow.hpp"
#include "trees/predict.hpp"
#include "trees/prune.hpp"

namespace certus::bindings {
namespace {

using trees::CompactTree;
using trees::GrowOptions;
using trees::Target;
using trees::TreeNodes;

template <class From, class To>
void copy_to(const std::vector<From>& from, const Vector<To>& to) {
  std::copy(from.begin(), from.end(), to.data());
}

Target label_target(const Matrix<const std::uint32_t>& labels, const std::vector<Index>& classes) {
  Target target;
  target.rows = static_cast<Index>(labels.shape(0));
  target.outputs = static_cast<Index>(labels.shape(1));
  target.labels = labels.data();
  target.classes = classes;
  target.max_classes = *std::max_element(classes.begin(), classes.end());
  return target;
}

Target number_target(const Matrix<const double>& values) {
  Target target;
  target.rows = static_cast<Index>(values.shape(0));
  target.outputs = static_cast<Index>(values.shape(1));
  target.values = values.data();
  target.classes.assign(static_cast<std::size_t>(target.outputs), 1);
  return target;
}

TreeNodes grow_dense(StridedMatrix<const float> x, const Target& target, Vector<const std::uint32_t> rows,
                     const GrowOptions& options, int threads) {
  return run_kernel([&](StopToken& stop) {
    return trees::grow_dense(view(x), target, span(rows), options, threads, stop);
  });
}

TreeNodes grow_sparse(const SparseTable& x, const Target& target, Vector<const std::uint32_t> rows,
                      const GrowOptions& options, int threads) {
  return run_kernel([&](StopToken& stop) {
    return trees::grow_sparse(span(x.data), span(x.indices), span(x.indptr), target, span(rows), options,
                              threads, stop);
  });
}

void bind_options(nb::module_& m) {
  nb::enum_<trees::CriterionKind>(m, "TreeCriterion")
      .value("gini", trees::CriterionKind::gini)
      .value("entropy", trees::CriterionKind::entropy)
      .value("misclassification", trees::CriterionKind::misclassification)
      .value("squared_error", trees::CriterionKind::squared_error)
      .value("absolute_error", trees::CriterionKind::absolute_error)
      .value("poisson", trees::CriterionKind::poisson);
  nb::class_<GrowOptions>(m, "GrowOptions", "How a tree is grown.")
      .def(nb::init<>())
      .def_rw("criterion", &GrowOptions::criterion)
      .def_rw("random_thresholds", &GrowOptions::random_thresholds)
      .def_rw("max_depth", &GrowOptions::max_depth)
      .def_rw("min_samples_split", &GrowOptions::min_samples_split)
      .def_rw("min_samples_leaf", &GrowOptions::min_samples_leaf)
      .def_rw("min_weight_leaf", &GrowOptions::min_weight_leaf)
      .def_rw("min_impurity_decrease", &GrowOptions::min_impurity_decrease)
      .def_rw("negligible_impurity", &GrowOptions::negligible_impurity)
      .def_rw("max_features", &GrowOptions::max_features)
      .def_rw("max_leaf_nodes", &GrowOptions::max_leaf_nodes)
      .def_rw("seed", &GrowOptions::seed)
      .def_rw("random_ties", &GrowOptions::random_ties)
      .def(
          "set_monotone",
          [](GrowOptions& options, Vector<const std::int8_t> signs) { options.monotone = span(signs); },
          nb::arg("signs").noconvert(), nb::keep_alive<1, 2>(),
          "Signs of the monotone columns, one per column.")
      .def(
          "set_categorical",
          [](GrowOptions& options, Vector<const std::uint8_t> marks) { options.categorical = span(marks); },
          nb::arg("marks").noconvert(), nb::keep_alive<1, 2>(), "Which columns hold codes of categories.");
}

void bind_growing(nb::module_& m) {
  nb::class_<Target>(m, "TreeTarget", "What a tree predicts, with the weights of the rows.")
      .def(
          "set_weights",
          [](Target& target, Vector<const double> weights) { target.weights = weights.data(); },
          nb::arg("weights").noconvert(), nb::keep_alive<1, 2>(), "Weights, one per row.");
  m.def("label_target", &label_target, nb::arg("labels").noconvert(), nb::arg("classes"),
        nb::keep_alive<0, 1>(),
        "Class labels from 0, rows x outputs, and the number of classes of each output.");
  m.def("number_target", &number_target, nb::arg("values").noconvert(), nb::keep_alive<0, 1>(),
        "Numbers, rows x outputs.");
  nb::class_<SparseTable>(m, "SparseTable", "A table in compressed form.")
      .def(nb::init<Vector<const float>, Vector<const std::int32_t>, Vector<const std::int32_t>>(),
           nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert());
  nb::class_<TreeNodes>(m, "TreeNodes", "A grown tree, to be copied into arrays.")
      .def_prop_ro("count", &TreeNodes::count)
      .def_ro("max_depth", &TreeNodes::max_depth)
      .def(
          "copy_structure",
          [](const TreeNodes& nodes, Vector<std::int64_t> left, Vector<std::int64_t> right,
             Vector<std::int64_t> feature, Vector<double> threshold, Vector<std::uint8_t> missing_left) {
            copy_to(nodes.left, left);
            copy_to(nodes.right, right);
            copy_to(nodes.feature, feature);
            copy_to(nodes.threshold, threshold);
            copy_to(nodes.missing_left, missing_left);
          },
          nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("feature").noconvert(),
          nb::arg("threshold").noconvert(), nb::arg("missing_left").noconvert(),
          "Children and splits of all nodes.")
      .def(
          "copy_facts",
          [](const TreeNodes& nodes, Vector<double> impurity, Vector<std::int64_t> rows,
             Vector<double> weight, Vector<double> value) {
            copy_to(nodes.impurity, impurity);
            copy_to(nodes.rows, rows);
            copy_to(nodes.weight, weight);
            copy_to(nodes.value, value);
          },
          nb::arg("impurity").noconvert(), nb::arg("rows").noconvert(), nb::arg("weight").noconvert(),
          nb::arg("value").noconvert(), "Impurities, sizes and values of all nodes.")
      .def_prop_ro("category_nodes", [](const TreeNodes& nodes) { return nodes.categories.size(); })
      .def_prop_ro("category_codes", &TreeNodes::category_codes)
      .def(
          "copy_categories",
          [](const TreeNodes& nodes, Vector<std::int64_t> numbers, Vector<std::int64_t> counts,
             Vector<std::uint32_t> codes) {
            copy_category_sets(nodes, 0, {numbers.data(), counts.data(), codes.data()});
          },
          nb::arg("numbers").noconvert(), nb::arg("counts").noconvert(), nb::arg("codes").noconvert(),
          "Nodes that split by categories, the sizes of their sets, and the sets.");
  m.def("grow_tree", &grow_dense, nb::arg("x").noconvert(), nb::arg("target"), nb::arg("rows").noconvert(),
        nb::arg("options"), nb::arg("threads"), "Grow a tree on the given rows of a dense table.");
  m.def("grow_tree_sparse", &grow_sparse, nb::arg("x"), nb::arg("target"), nb::arg("rows").noconvert(),
        nb::arg("options"), nb::arg("threads"), "Grow a tree on the given rows of a table by columns.");
}

void bind_use(nb::module_& m) {
  nb::class_<CompactTree>(m, "CompactTree", "A tree packed for prediction.")
      .def(
          "__init__",
          [](CompactTree* self, Vector<const std::int64_t> left, Vector<const std::int64_t> right,
             Vector<const std::int64_t> feature, Vector<const double> threshold,
             Vector<const std::uint8_t> missing_left, Vector<const std::int64_t> category_nodes,
             Vector<const std::int64_t> starts, Vector<const std::uint32_t> codes) {
            new (self)
                CompactTree(span(left), span(right), span(feature), span(threshold), span(missing_left),
                            span(category_nodes), trees::CategorySets(span(starts), span(codes)));
          },
          nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("feature").noconvert(),
          nb::arg("threshold").noconvert(), nb::arg("missing_left").noconvert(),
          nb::arg("category_nodes").noconvert(), nb::arg("starts").noconvert(), nb::arg("codes").noconvert())
      .def(
          "apply",
          [](const CompactTree& tree, StridedMatrix<const float> x, Vector<std::int64_t> leaves,
             int threads) {
            run_kernel([&](StopToken& stop) { tree.apply(view(x), span(leaves), threads, stop); });
          },
          nb::arg("x").noconvert(), nb::arg("leaves").noconvert(), nb::arg("threads"),
          "The leaf of every row.")
      .def(
          "apply_sparse",
          [](const CompactTree& tree, const SparseTable& x, Index features, Vector<std::int64_t> leaves,
             int threads) {
            run_kernel([&](StopToken& stop) {
              tree.apply_sparse(span(x.data), span(x.indices), span(x.indptr), features, span(leaves),
                                threads, stop);
            });
          },
          nb::arg("x"), nb::arg("features"), nb::arg("leaves").noconvert(), nb::arg("threads"),
          "The leaf of every row of a table by rows.");
  m.def(
      "write_paths",
      [](Vector<const std::int64_t> parents, Vector<const std::int64_t> leaves,
         Vector<const std::int64_t> indptr, Vector<std::int64_t> nodes, int threads) {
        run_kernel([&](StopToken& stop) {
          trees::write_paths(span(parents), span(leaves), span(indptr), span(nodes), threads, stop);
        });
      },
      nb::arg("parents").noconvert(), nb::arg("leaves").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("nodes").noconvert(), nb::arg("threads"), "The nodes from the root to the leaf of every row.");
  m.def(
      "pruning_sequence",
      [](Vector<const std::int64_t> left, Vector<const std::int64_t> right, Vector<const double> impurity,
         Vector<const double> weight, Vector<std::int64_t> node, Vector<double> alpha, Vector<double> cost) {
        const auto steps = run_kernel([&](StopToken& stop) {
          return trees::pruning_sequence(span(left), span(right), span(impurity), span(weight), stop);
        });
        for (std::size_t i = 0; i < steps.size(); ++i) {
          node.data()[i] = steps[i].node;
          alpha.data()[i] = steps[i].alpha;
          cost.data()[i] = steps[i].cost;
        }
        return steps.size();
      },
      nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("impurity").noconvert(),
      nb::arg("weight").noconvert(), nb::arg("node").noconvert(), nb::arg("alpha").noconvert(),
      nb::arg("cost").noconvert(), "Fill the weakest-link pruning sequence and return its length.");
}

}  // namespace

void bind_trees(nb::module_& m) {
  bind_options(m);
  bind_growing(m);
  bind_use(m);
}

}  // namespace certus::bindings
