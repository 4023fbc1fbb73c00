#include <nanobind/stl/vector.h>

#include <cstring>

#include "bindings/common.hpp"
#include "boosting/binning.hpp"
#include "boosting/grow.hpp"
#include "boosting/losses.hpp"
#include "boosting/predict.hpp"

namespace certus::bindings {
namespace {

using boosting::Bin;
using boosting::BinnedTable;
using boosting::BinSet;
using boosting::Grower;
using boosting::GrowOptions;
using boosting::Node;
using boosting::PackedTrees;
using boosting::Row;

template <class T>
void find_edges(StridedMatrix<const T> x, Vector<const Row> rows, Vector<const double> weights,
                Vector<const std::uint8_t> skip, int max_bins, bool fine_ends, Matrix<double> edges,
                Vector<std::uint16_t> counts, int threads) {
  run_kernel([&](StopToken& stop) {
    boosting::find_edges<T>(view(x), span(rows), span(weights), span(skip), max_bins, fine_ends, view(edges),
                            span(counts), threads, stop);
  });
}

template <class T>
void bin_table(StridedMatrix<const T> x, Matrix<const double> edges, Vector<const std::uint16_t> counts,
               Vector<const std::uint8_t> categorical, Vector<Bin> by_column, Vector<Bin> by_row,
               Vector<std::uint8_t> has_missing, int threads) {
  run_kernel([&](StopToken& stop) {
    boosting::bin_table<T>(view(x), view(edges), span(counts), span(categorical), by_column.data(),
                           by_row.size() > 0 ? by_row.data() : nullptr, span(has_missing), threads, stop);
  });
}

template <class T>
void bind_binning_of(nb::module_& m) {
  m.def("boosting_find_edges", &find_edges<T>, nb::arg("x").noconvert(), nb::arg("rows").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("skip").noconvert(), nb::arg("max_bins"),
        nb::arg("fine_ends"), nb::arg("edges").noconvert(), nb::arg("counts").noconvert(), nb::arg("threads"),
        "Borders between the bins of every column.");
  m.def("boosting_bin_table", &bin_table<T>, nb::arg("x").noconvert(), nb::arg("edges").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("categorical").noconvert(), nb::arg("by_column").noconvert(),
        nb::arg("by_row").noconvert(), nb::arg("has_missing").noconvert(), nb::arg("threads"),
        "The bin of every value, by columns and by rows.");
}

BinnedTable make_table(Index rows, Vector<const Bin> by_column, Vector<const Bin> by_row,
                       Vector<const std::uint16_t> bins, Vector<const std::uint8_t> has_missing,
                       Vector<const std::uint8_t> categorical, Matrix<const double> edges) {
  BinnedTable table;
  table.rows = rows;
  table.columns = static_cast<Index>(bins.shape(0));
  table.by_column = by_column.data();
  table.by_row = by_row.data();
  table.bins = span(bins);
  table.has_missing = span(has_missing);
  table.categorical = span(categorical);
  table.edges = view(edges);
  return table;
}

void bind_options(nb::module_& m) {
  nb::class_<GrowOptions>(m, "BoostingOptions", "How the trees of an ensemble are grown.")
      .def(nb::init<>())
      .def_rw("max_leaves", &GrowOptions::max_leaves)
      .def_rw("max_depth", &GrowOptions::max_depth)
      .def_rw("learning_rate", &GrowOptions::learning_rate)
      .def_rw("column_share", &GrowOptions::column_share)
      .def_rw("by_level", &GrowOptions::by_level)
      .def_rw("seed", &GrowOptions::seed)
      .def_prop_rw(
          "min_rows", [](const GrowOptions& o) { return o.rules.min_rows; },
          [](GrowOptions& o, double value) { o.rules.min_rows = value; })
      .def_prop_rw(
          "l2", [](const GrowOptions& o) { return o.rules.l2; },
          [](GrowOptions& o, double value) { o.rules.l2 = value; })
      .def_prop_rw(
          "min_hessian", [](const GrowOptions& o) { return o.rules.min_hessian; },
          [](GrowOptions& o, double value) { o.rules.min_hessian = value; })
      .def_rw("bounded_steps", &GrowOptions::bounded_steps)
      .def_rw("monotone", &GrowOptions::monotone)
      .def_rw("interactions", &GrowOptions::interactions);
}

// Records of the nodes as bytes; Python reads them as a structured array.
void copy_nodes(const Grower& grower, Vector<std::uint8_t> nodes, Vector<std::uint64_t> sets) {
  const auto& tree = grower.tree();
  std::memcpy(nodes.data(), tree.nodes.data(), tree.nodes.size() * sizeof(Node));
  if (!tree.category_sets.empty()) {
    std::memcpy(sets.data(), tree.category_sets.data(), tree.category_sets.size() * sizeof(BinSet));
  }
}

void bind_growing(nb::module_& m) {
  nb::class_<BinnedTable>(m, "BinnedTable", "A table of bins.")
      .def(
          "__init__",
          [](BinnedTable* self, Index rows, Vector<const Bin> by_column, Vector<const Bin> by_row,
             Vector<const std::uint16_t> bins, Vector<const std::uint8_t> has_missing,
             Vector<const std::uint8_t> categorical, Matrix<const double> edges) {
            new (self)
                BinnedTable(make_table(rows, by_column, by_row, bins, has_missing, categorical, edges));
          },
          nb::arg("rows"), nb::arg("by_column").noconvert(), nb::arg("by_row").noconvert(),
          nb::arg("bins").noconvert(), nb::arg("has_missing").noconvert(), nb::arg("categorical").noconvert(),
          nb::arg("edges").noconvert(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
          nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>());
  nb::class_<Grower>(m, "BoostingGrower", "Grows one tree after the other on a table of bins.")
      .def(
          "__init__",
          [](Grower* self, const BinnedTable& table, const GrowOptions& options, Vector<const double> weights,
             int threads) { new (self) Grower(table, options, span(weights), threads); },
          nb::arg("table"), nb::arg("options"), nb::arg("weights").noconvert(), nb::arg("threads"),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
      .def(
          "grow",
          [](Grower& grower, Vector<const double> gradients, Vector<const double> hessians,
             std::uint64_t number) {
            run_kernel([&](StopToken& stop) { grower.grow(span(gradients), span(hessians), number, stop); });
            return nb::make_tuple(grower.tree().nodes.size(), grower.tree().category_sets.size());
          },
          nb::arg("gradients").noconvert(), nb::arg("hessians").noconvert(), nb::arg("number"),
          "Grow a tree; its numbers of nodes and of sets of categories.")
      .def(
          "use_quantiles",
          [](Grower& grower, Vector<const double> target, Vector<const double> prediction, double share) {
            run_kernel(
                [&](StopToken& stop) { grower.use_quantiles(span(target), span(prediction), share, stop); });
          },
          nb::arg("target").noconvert(), nb::arg("prediction").noconvert(), nb::arg("share"),
          "Set the leaves to quantiles of the residuals.")
      .def(
          "add_values",
          [](const Grower& grower, Vector<double> prediction) {
            run_kernel([&](StopToken& stop) { grower.add_values(span(prediction), stop); });
          },
          nb::arg("prediction").noconvert(), "Add the tree to the prediction of its training rows.")
      .def("copy_nodes", &copy_nodes, nb::arg("nodes").noconvert(), nb::arg("sets").noconvert(),
           "The tree as bytes.");
}

void bind_boosting_losses(nb::module_& m) {
  m.def(
      "boosting_gradients",
      [](Loss loss, Vector<const double> target, Vector<const double> weights, Vector<const double> raw,
         Vector<double> gradients, Vector<double> hessians, int threads) {
        return run_kernel([&](StopToken& stop) {
          return boosting::loss_gradients(loss, {span(target), span(weights)}, span(raw), span(gradients),
                                          span(hessians), threads, stop);
        });
      },
      nb::arg("loss"), nb::arg("target").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("raw").noconvert(), nb::arg("gradients").noconvert(), nb::arg("hessians").noconvert(),
      nb::arg("threads"), "Derivatives of the loss at every row; the weighted mean of the loss.");
  m.def(
      "boosting_mean_loss",
      [](Loss loss, Vector<const double> target, Vector<const double> weights, Vector<const double> raw,
         int threads) {
        return run_kernel([&](StopToken& stop) {
          return boosting::mean_loss(loss, {span(target), span(weights)}, span(raw), threads, stop);
        });
      },
      nb::arg("loss"), nb::arg("target").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("raw").noconvert(), nb::arg("threads"), "Weighted mean of the loss.");
  m.def(
      "boosting_class_shares",
      [](Matrix<const double> raw, Matrix<double> shares, int threads) {
        run_kernel([&](StopToken& stop) { boosting::class_shares(view(raw), view(shares), threads, stop); });
      },
      nb::arg("raw").noconvert(), nb::arg("shares").noconvert(), nb::arg("threads"),
      "Softmax over the classes; classes x rows.");
  m.def(
      "boosting_class_shares_and_loss",
      [](Vector<const double> target, Vector<const double> weights, Matrix<const double> raw,
         Matrix<double> shares, int threads) {
        return run_kernel([&](StopToken& stop) {
          return boosting::class_shares_and_loss({span(target), span(weights)}, view(raw), view(shares),
                                                 threads, stop);
        });
      },
      nb::arg("target").noconvert(), nb::arg("weights").noconvert(), nb::arg("raw").noconvert(),
      nb::arg("shares").noconvert(), nb::arg("threads"),
      "Softmax over the classes, and the weighted mean of the multinomial loss.");
  m.def(
      "boosting_class_gradients",
      [](Vector<const double> target, Vector<const double> shares, Index label, Vector<double> gradients,
         Vector<double> hessians, int threads) {
        run_kernel([&](StopToken& stop) {
          boosting::class_gradients(span(target), span(shares), label, span(gradients), span(hessians),
                                    threads, stop);
        });
      },
      nb::arg("target").noconvert(), nb::arg("shares").noconvert(), nb::arg("label"),
      nb::arg("gradients").noconvert(), nb::arg("hessians").noconvert(), nb::arg("threads"),
      "Derivatives of the multinomial loss for one class.");
  m.def(
      "boosting_mean_class_loss",
      [](Vector<const double> target, Vector<const double> weights, Matrix<const double> raw, int threads) {
        return run_kernel([&](StopToken& stop) {
          return boosting::mean_class_loss({span(target), span(weights)}, view(raw), threads, stop);
        });
      },
      nb::arg("target").noconvert(), nb::arg("weights").noconvert(), nb::arg("raw").noconvert(),
      nb::arg("threads"), "Weighted mean of the multinomial loss.");
}

template <class T>
void bind_add(nb::class_<PackedTrees>& trees) {
  trees.def(
      "add",
      [](const PackedTrees& self, StridedMatrix<const T> x, Index first, Index last, Matrix<double> raw,
         int threads) {
        run_kernel([&](StopToken& stop) { self.add<T>(view(x), first, last, view(raw), threads, stop); });
      },
      nb::arg("x").noconvert(), nb::arg("first"), nb::arg("last"), nb::arg("raw").noconvert(),
      nb::arg("threads"), "Add some of the trees to raw, which is outputs x rows.");
}

void bind_prediction(nb::module_& m) {
  auto trees =
      nb::class_<PackedTrees>(m, "PackedTrees", "Trees packed for prediction.")
          .def(
              "__init__",
              [](PackedTrees* self, Vector<const std::uint8_t> nodes, Vector<const std::int64_t> starts,
                 Vector<const std::uint64_t> sets, Vector<const std::int64_t> set_starts) {
                const auto* first = reinterpret_cast<const Node*>(nodes.data());
                const auto* first_set = reinterpret_cast<const BinSet*>(sets.data());
                new (self) PackedTrees({first, nodes.shape(0) / sizeof(Node)}, span(starts),
                                       {first_set, sets.shape(0) / 4}, span(set_starts));
              },
              nb::arg("nodes").noconvert(), nb::arg("starts").noconvert(), nb::arg("sets").noconvert(),
              nb::arg("set_starts").noconvert());
  bind_add<float>(trees);
  bind_add<double>(trees);
}

}  // namespace

void bind_boosting(nb::module_& m) {
  bind_binning_of<float>(m);
  bind_binning_of<double>(m);
  bind_options(m);
  bind_growing(m);
  bind_boosting_losses(m);
  bind_prediction(m);
}

}  // namespace certus::bindings
