#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>

#include "bindings/common.hpp"
#include "geometry/kd_tree.hpp"
#include "geometry/pairwise.hpp"
#include "geometry/product_filter.hpp"
#include "geometry/reach_order.hpp"
#include "geometry/scan.hpp"
#include "geometry/select.hpp"
#include "geometry/spanning_tree.hpp"
#include "geometry/sparse_scan.hpp"
#include "geometry/within.hpp"

namespace certus::bindings {
namespace {

using namespace certus::geometry;

using OptionalWeights = std::optional<Vector<const double>>;

Metric metric_of(int kind, double power, const OptionalWeights& weights) {
  return {static_cast<MetricKind>(kind), power, weights ? weights->data() : nullptr};
}

NeighborTable table_of(const Matrix<double>& distances, const Matrix<Index>& rows) {
  return {view(distances), view(rows)};
}

template <class T>
void bind_kd_tree(nb::module_& m, const char* name) {
  using Tree = KdTree<T>;
  nb::class_<Tree>(m, name, "A kd-tree over rows that it holds a copy of.")
      .def(
          "query",
          [](const Tree& tree, Matrix<const double> queries, int kind, double power,
             const OptionalWeights& weights, int threads, Matrix<double> distances, Matrix<Index> rows) {
            const Metric metric = metric_of(kind, power, weights);
            return run_kernel([&](StopToken& stop) {
              return tree.query(view(queries), metric, threads, stop, table_of(distances, rows));
            });
          },
          nb::arg("queries").noconvert(), nb::arg("kind"), nb::arg("power"), nb::arg("weights").none(),
          nb::arg("threads"), nb::arg("distances").noconvert(), nb::arg("rows").noconvert(),
          "Fill in the nearest rows of each query; returns how many points were compared.")
      .def(
          "within",
          [](const Tree& tree, Matrix<const double> queries, int kind, double power,
             const OptionalWeights& weights, Vector<const double> limits, int threads) {
            const Metric metric = metric_of(kind, power, weights);
            return run_kernel([&](StopToken& stop) {
              auto lists = std::make_unique<WithinLists>(view(queries).rows);
              tree.within(view(queries), metric, span(limits), threads, stop, *lists);
              return lists;
            });
          },
          nb::arg("queries").noconvert(), nb::arg("kind"), nb::arg("power"), nb::arg("weights").none(),
          nb::arg("limits").noconvert(), nb::arg("threads"), "The rows within the limit of each query.")
      .def(
          "count_within",
          [](const Tree& tree, Matrix<const double> queries, int kind, double power,
             const OptionalWeights& weights, Vector<const double> limits, Index enough, int threads,
             Vector<Index> counts) {
            const Metric metric = metric_of(kind, power, weights);
            run_kernel([&](StopToken& stop) {
              tree.count_within(view(queries), metric, span(limits), enough, threads, stop, span(counts));
            });
          },
          nb::arg("queries").noconvert(), nb::arg("kind"), nb::arg("power"), nb::arg("weights").none(),
          nb::arg("limits").noconvert(), nb::arg("enough"), nb::arg("threads"), nb::arg("counts").noconvert(),
          "Fill in how many rows lie within the limit of each query; counting ends at `enough`.");
  m.def(
      "build_kd_tree",
      [](Matrix<const T> rows, Index leaf_size, int threads) {
        return run_kernel(
            [&](StopToken& stop) { return std::make_unique<Tree>(view(rows), leaf_size, threads, stop); });
      },
      nb::arg("rows").noconvert(), nb::arg("leaf_size"), nb::arg("threads"),
      "Build a kd-tree over the rows.");
}

template <class T>
void bind_product_filter(nb::module_& m, const char* name) {
  using Filter = ProductFilter<T>;
  nb::class_<Filter>(m, name, "Rows prepared for Euclidean search by matrix products.")
      .def(
          "query",
          [](const Filter& filter, Matrix<const T> rows, Matrix<const double> queries, int threads,
             Matrix<double> distances, Matrix<Index> nearest) {
            return run_kernel([&](StopToken& stop) {
              return filter.query(view(rows), view(queries), threads, stop, table_of(distances, nearest));
            });
          },
          nb::arg("rows").noconvert(), nb::arg("queries").noconvert(), nb::arg("threads"),
          nb::arg("distances").noconvert(), nb::arg("nearest").noconvert(),
          "Fill in the nearest rows of each query; returns how many queries needed a full scan.");
  m.def(
      "build_product_filter",
      [](Matrix<const T> rows, int threads) {
        return run_kernel(
            [&](StopToken& stop) { return std::make_unique<Filter>(view(rows), threads, stop); });
      },
      nb::arg("rows").noconvert(), nb::arg("threads"), "Prepare rows for search by matrix products.");
}

template <class T>
void bind_scans(nb::module_& m) {
  m.def(
      "scan_neighbors",
      [](Matrix<const T> rows, Matrix<const double> queries, int kind, double power,
         const OptionalWeights& weights, int threads, Matrix<double> distances, Matrix<Index> nearest) {
        const Metric metric = metric_of(kind, power, weights);
        run_kernel([&](StopToken& stop) {
          scan(view(rows), view(queries), metric, threads, stop, table_of(distances, nearest));
        });
      },
      nb::arg("rows").noconvert(), nb::arg("queries").noconvert(), nb::arg("kind"), nb::arg("power"),
      nb::arg("weights").none(), nb::arg("threads"), nb::arg("distances").noconvert(),
      nb::arg("nearest").noconvert(), "Fill in the nearest rows of each query by comparing all pairs.");
  m.def(
      "scan_sparse_neighbors",
      [](Vector<const T> values, Vector<const std::int64_t> columns, Vector<const std::int64_t> starts,
         Vector<const T> query_values, Vector<const std::int64_t> query_columns,
         Vector<const std::int64_t> query_starts, int kind, double power, const OptionalWeights& weights,
         int threads, Matrix<double> distances, Matrix<Index> nearest) {
        const Metric metric = metric_of(kind, power, weights);
        const SparseRows<T> rows{span(values), span(columns), span(starts)};
        const SparseRows<T> queries{span(query_values), span(query_columns), span(query_starts)};
        run_kernel([&](StopToken& stop) {
          sparse_scan(rows, queries, metric, threads, stop, table_of(distances, nearest));
        });
      },
      nb::arg("values").noconvert(), nb::arg("columns").noconvert(), nb::arg("starts").noconvert(),
      nb::arg("query_values").noconvert(), nb::arg("query_columns").noconvert(),
      nb::arg("query_starts").noconvert(), nb::arg("kind"), nb::arg("power"), nb::arg("weights").none(),
      nb::arg("threads"), nb::arg("distances").noconvert(), nb::arg("nearest").noconvert(),
      "Fill in the nearest sparse rows of each sparse query by comparing all pairs.");
}

template <class T>
void bind_within(nb::module_& m) {
  m.def(
      "scan_within",
      [](Matrix<const T> rows, Matrix<const double> queries, int kind, double power,
         const OptionalWeights& weights, Vector<const double> limits, int threads) {
        const Metric metric = metric_of(kind, power, weights);
        return run_kernel([&](StopToken& stop) {
          auto lists = std::make_unique<WithinLists>(view(queries).rows);
          scan_within(view(rows), view(queries), metric, span(limits), threads, stop, *lists);
          return lists;
        });
      },
      nb::arg("rows").noconvert(), nb::arg("queries").noconvert(), nb::arg("kind"), nb::arg("power"),
      nb::arg("weights").none(), nb::arg("limits").noconvert(), nb::arg("threads"),
      "The rows within the limit of each query, by comparing all pairs.");
  m.def(
      "scan_counts",
      [](Matrix<const T> rows, Matrix<const double> queries, int kind, double power,
         const OptionalWeights& weights, Vector<const double> limits, int threads, Vector<Index> counts) {
        const Metric metric = metric_of(kind, power, weights);
        run_kernel([&](StopToken& stop) {
          scan_counts(view(rows), view(queries), metric, span(limits), threads, stop, span(counts));
        });
      },
      nb::arg("rows").noconvert(), nb::arg("queries").noconvert(), nb::arg("kind"), nb::arg("power"),
      nb::arg("weights").none(), nb::arg("limits").noconvert(), nb::arg("threads"),
      nb::arg("counts").noconvert(), "Fill in how many rows lie within the limit of each query.");
}

template <class T>
void bind_pairwise(nb::module_& m) {
  m.def(
      "pairwise",
      [](Matrix<const T> rows, Matrix<const double> queries, int kind, double power,
         const OptionalWeights& weights, int threads, Matrix<double> out) {
        const Metric metric = metric_of(kind, power, weights);
        run_kernel(
            [&](StopToken& stop) { pairwise(view(rows), view(queries), metric, threads, stop, view(out)); });
      },
      nb::arg("rows").noconvert(), nb::arg("queries").noconvert(), nb::arg("kind"), nb::arg("power"),
      nb::arg("weights").none(), nb::arg("threads"), nb::arg("out").noconvert(),
      "Fill in the reduced distances of all pairs.");
  m.def(
      "sparse_pairwise",
      [](Vector<const T> values, Vector<const std::int64_t> columns, Vector<const std::int64_t> starts,
         Vector<const T> query_values, Vector<const std::int64_t> query_columns,
         Vector<const std::int64_t> query_starts, int kind, double power, const OptionalWeights& weights,
         int threads, Matrix<double> out) {
        const Metric metric = metric_of(kind, power, weights);
        const SparseRows<T> rows{span(values), span(columns), span(starts)};
        const SparseRows<T> queries{span(query_values), span(query_columns), span(query_starts)};
        run_kernel(
            [&](StopToken& stop) { sparse_pairwise(rows, queries, metric, threads, stop, view(out)); });
      },
      nb::arg("values").noconvert(), nb::arg("columns").noconvert(), nb::arg("starts").noconvert(),
      nb::arg("query_values").noconvert(), nb::arg("query_columns").noconvert(),
      nb::arg("query_starts").noconvert(), nb::arg("kind"), nb::arg("power"), nb::arg("weights").none(),
      nb::arg("threads"), nb::arg("out").noconvert(), "Fill in the reduced distances of all pairs.");
  m.def(
      "label_sums",
      [](Matrix<const T> rows, Vector<const std::int32_t> labels, Matrix<const double> queries, int kind,
         double power, const OptionalWeights& weights, int root, int threads, Matrix<double> sums) {
        const Metric metric = metric_of(kind, power, weights);
        run_kernel([&](StopToken& stop) {
          label_sums(view(rows), span(labels), view(queries), metric, static_cast<Root>(root), threads, stop,
                     view(sums));
        });
      },
      nb::arg("rows").noconvert(), nb::arg("labels").noconvert(), nb::arg("queries").noconvert(),
      nb::arg("kind"), nb::arg("power"), nb::arg("weights").none(), nb::arg("root"), nb::arg("threads"),
      nb::arg("sums").noconvert(), "Fill in the sums of distances to the rows of each label.");
  m.def(
      "label_sums_among",
      [](Matrix<const T> rows, Vector<const std::int32_t> labels, Matrix<const double> same, int kind,
         double power, const OptionalWeights& weights, int root, int threads, Matrix<double> sums) {
        const Metric metric = metric_of(kind, power, weights);
        run_kernel([&](StopToken& stop) {
          label_sums_among(view(rows), span(labels), view(same), metric, static_cast<Root>(root), threads,
                           stop, view(sums));
        });
      },
      nb::arg("rows").noconvert(), nb::arg("labels").noconvert(), nb::arg("same").noconvert(),
      nb::arg("kind"), nb::arg("power"), nb::arg("weights").none(), nb::arg("root"), nb::arg("threads"),
      nb::arg("sums").noconvert(), "The same among the rows themselves, each pair compared once.");
}

SpanningTree tree_of(const Vector<Index>& from, const Vector<Index>& to, const Vector<double>& length) {
  return {span(from), span(to), span(length)};
}

template <class T>
void bind_spanning_trees(nb::module_& m) {
  m.def(
      "prim",
      [](Matrix<const T> rows, Vector<const double> core, int kind, double power,
         const OptionalWeights& weights, int threads, Vector<Index> from, Vector<Index> to,
         Vector<double> length) {
        const Metric metric = metric_of(kind, power, weights);
        run_kernel([&](StopToken& stop) {
          prim(view(rows), span(core), metric, threads, stop, tree_of(from, to, length));
        });
      },
      nb::arg("rows").noconvert(), nb::arg("core").noconvert(), nb::arg("kind"), nb::arg("power"),
      nb::arg("weights").none(), nb::arg("threads"), nb::arg("source").noconvert(), nb::arg("to").noconvert(),
      nb::arg("length").noconvert(),
      "Fill in the edges of the minimum spanning tree, by growing it from row 0.");
  m.def(
      "boruvka",
      [](const KdTree<T>& tree, Vector<const double> core, int kind, double power,
         const OptionalWeights& weights, int threads, Vector<Index> from, Vector<Index> to,
         Vector<double> length) {
        const Metric metric = metric_of(kind, power, weights);
        return run_kernel([&](StopToken& stop) {
          return boruvka(tree, span(core), metric, threads, stop, tree_of(from, to, length));
        });
      },
      nb::arg("tree"), nb::arg("core").noconvert(), nb::arg("kind"), nb::arg("power"),
      nb::arg("weights").none(), nb::arg("threads"), nb::arg("source").noconvert(), nb::arg("to").noconvert(),
      nb::arg("length").noconvert(),
      "Fill in the edges of the minimum spanning tree, by joining components; returns how many were found.");
}

template <class T>
void bind_reach_order(nb::module_& m) {
  m.def(
      "reach_order",
      [](Matrix<const T> rows, Vector<const double> core, int kind, double power,
         const OptionalWeights& weights, int root, double limit, int threads, Vector<Index> order,
         Vector<double> reachability, Vector<Index> predecessor) {
        const Metric metric = metric_of(kind, power, weights);
        run_kernel([&](StopToken& stop) {
          reach_order(view(rows), span(core), metric, static_cast<Root>(root), limit, threads, stop,
                      {span(order), span(reachability), span(predecessor)});
        });
      },
      nb::arg("rows").noconvert(), nb::arg("core").noconvert(), nb::arg("kind"), nb::arg("power"),
      nb::arg("weights").none(), nb::arg("root"), nb::arg("limit"), nb::arg("threads"),
      nb::arg("order").noconvert(), nb::arg("reachability").noconvert(), nb::arg("predecessor").noconvert(),
      "Fill in the order in which rows are reached.");
}

void bind_lists(nb::module_& m) {
  nb::class_<WithinLists>(m, "WithinLists", "Lists of rows within a limit of each query.")
      .def("total", &WithinLists::total, "How many entries the lists have together.")
      .def(
          "move_to",
          [](WithinLists& lists, Vector<Index> starts, Vector<Index> rows, Vector<double> distances) {
            lists.move_to(span(starts), span(rows), span(distances));
          },
          nb::arg("starts").noconvert(), nb::arg("rows").noconvert(), nb::arg("distances").noconvert(),
          "Fill in the lists one after another and release them.");
}

}  // namespace

void bind_geometry(nb::module_& m) {
  bind_lists(m);
  bind_kd_tree<double>(m, "KdTree64");
  bind_kd_tree<float>(m, "KdTree32");
  bind_product_filter<double>(m, "ProductFilter64");
  bind_product_filter<float>(m, "ProductFilter32");
  bind_scans<double>(m);
  bind_scans<float>(m);
  bind_within<double>(m);
  bind_within<float>(m);
  bind_pairwise<double>(m);
  bind_pairwise<float>(m);
  bind_spanning_trees<double>(m);
  bind_spanning_trees<float>(m);
  bind_reach_order<double>(m);
  bind_reach_order<float>(m);
  m.def(
      "select_smallest",
      [](Matrix<const double> given, int threads, Matrix<double> distances, Matrix<Index> nearest) {
        run_kernel([&](StopToken& stop) {
          select_smallest(view(given), threads, stop, table_of(distances, nearest));
        });
      },
      nb::arg("given").noconvert(), nb::arg("threads"), nb::arg("distances").noconvert(),
      nb::arg("nearest").noconvert(), "Fill in the smallest entries of each row of a distance matrix.");
}

}  // namespace certus::bindings
