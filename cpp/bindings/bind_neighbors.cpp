#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>

#include "bindings/common.hpp"
#include "neighbors/kd_tree.hpp"
#include "neighbors/product_filter.hpp"
#include "neighbors/scan.hpp"
#include "neighbors/select.hpp"
#include "neighbors/sparse_scan.hpp"
#include "neighbors/votes.hpp"

namespace certus::bindings {
namespace {

using namespace certus::neighbors;

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
          "Fill in the nearest rows of each query; returns how many points were compared.");
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
            ensure_blas();
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

Ballot ballot_of(const Matrix<const Index>& neighbors, const std::optional<Matrix<const double>>& weights,
                 const Vector<const Index>& classes) {
  return {view(neighbors), weights ? view(*weights) : View2D<const double>(), span(classes)};
}

void bind_votes(nb::module_& m) {
  m.def(
      "vote_winners",
      [](Matrix<const Index> neighbors, std::optional<Matrix<const double>> weights,
         Vector<const Index> classes, Index class_count, int threads, Vector<Index> winner) {
        const Ballot ballot = ballot_of(neighbors, weights, classes);
        run_kernel([&](StopToken& stop) { vote_winners(ballot, class_count, threads, stop, span(winner)); });
      },
      nb::arg("neighbors").noconvert(), nb::arg("weights").none(), nb::arg("classes").noconvert(),
      nb::arg("class_count"), nb::arg("threads"), nb::arg("winner").noconvert(),
      "Fill in the class with the most votes of each query's neighbors.");
  m.def(
      "vote_shares",
      [](Matrix<const Index> neighbors, std::optional<Matrix<const double>> weights,
         Vector<const Index> classes, int threads, Matrix<double> shares) {
        const Ballot ballot = ballot_of(neighbors, weights, classes);
        run_kernel([&](StopToken& stop) { vote_shares(ballot, threads, stop, view(shares)); });
      },
      nb::arg("neighbors").noconvert(), nb::arg("weights").none(), nb::arg("classes").noconvert(),
      nb::arg("threads"), nb::arg("shares").noconvert(),
      "Fill in each class's share of the neighbors' votes.");
}

}  // namespace

void bind_neighbors(nb::module_& m) {
  bind_kd_tree<double>(m, "KdTree64");
  bind_kd_tree<float>(m, "KdTree32");
  bind_product_filter<double>(m, "ProductFilter64");
  bind_product_filter<float>(m, "ProductFilter32");
  bind_scans<double>(m);
  bind_scans<float>(m);
  m.def(
      "select_smallest",
      [](Matrix<const double> given, int threads, Matrix<double> distances, Matrix<Index> nearest) {
        run_kernel([&](StopToken& stop) {
          select_smallest(view(given), threads, stop, table_of(distances, nearest));
        });
      },
      nb::arg("given").noconvert(), nb::arg("threads"), nb::arg("distances").noconvert(),
      nb::arg("nearest").noconvert(), "Fill in the smallest entries of each row of a distance matrix.");
  bind_votes(m);
}

}  // namespace certus::bindings
