#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "bindings/common.hpp"
#include "cluster/assign.hpp"
#include "cluster/condense.hpp"
#include "cluster/graph_linkage.hpp"
#include "cluster/grouped_rows.hpp"
#include "cluster/line_partition.hpp"
#include "cluster/linkage.hpp"
#include "cluster/lloyd.hpp"
#include "cluster/medoids.hpp"
#include "cluster/seeding.hpp"

namespace certus::bindings {
namespace {

using namespace certus::cluster;

template <class T>
void bind_grouped_rows(nb::module_& m, const char* name) {
  using Rows = GroupedRows<T>;
  nb::class_<Rows>(m, name, "Rows in groups, as k-means reads them.")
      .def(
          "seed",
          [](const Rows& rows, Vector<const double> weights, Vector<const std::int64_t> order,
             Matrix<const double> uniforms, int threads, Vector<std::int64_t> chosen) {
            run_kernel([&](StopToken& stop) {
              seed_centers(rows, span(weights), span(order), view(uniforms), threads, stop, span(chosen));
            });
          },
          nb::arg("weights").noconvert(), nb::arg("order").noconvert(), nb::arg("uniforms").noconvert(),
          nb::arg("threads"), nb::arg("chosen").noconvert(), "Choose rows as first centers by k-means++.")
      .def(
          "lloyd",
          [](const Rows& grouped, Matrix<const T> rows, Vector<const double> offset,
             Vector<const double> weights, Matrix<double> centers, std::int64_t most, double tolerance,
             int threads) {
            const LloydResult result = run_kernel([&](StopToken& stop) {
              return lloyd(view(rows), grouped, span(offset), span(weights), view(centers), most, tolerance,
                           threads, stop);
            });
            return std::make_tuple(result.rounds, result.settled);
          },
          nb::arg("rows").noconvert(), nb::arg("offset").noconvert(), nb::arg("weights").noconvert(),
          nb::arg("centers").noconvert(), nb::arg("most"), nb::arg("tolerance"), nb::arg("threads"),
          "Improve the centers in place; returns the rounds and whether no row changed its center.");
  m.def(
      "group_rows",
      [](Matrix<const T> rows, Vector<const double> offset, int threads) {
        return run_kernel(
            [&](StopToken& stop) { return std::make_unique<Rows>(view(rows), span(offset), threads, stop); });
      },
      nb::arg("rows").noconvert(), nb::arg("offset").noconvert(), nb::arg("threads"),
      "Put rows, moved by an offset, into groups.");
}

template <class T>
void bind_assignments(nb::module_& m) {
  m.def(
      "nearest_centers",
      [](Matrix<const T> rows, Matrix<const double> centers, int threads, Vector<std::int32_t> labels,
         Vector<double> squared) {
        run_kernel([&](StopToken& stop) {
          assign(view(rows), view(centers), threads, stop, span(labels), span(squared));
        });
      },
      nb::arg("rows").noconvert(), nb::arg("centers").noconvert(), nb::arg("threads"),
      nb::arg("labels").noconvert(), nb::arg("squared").noconvert(),
      "Fill in the nearest center of each row and the squared distance to it.");
  m.def(
      "center_distances",
      [](Matrix<const T> rows, Matrix<const double> centers, int threads, Matrix<double> out) {
        run_kernel(
            [&](StopToken& stop) { center_distances(view(rows), view(centers), threads, stop, view(out)); });
      },
      nb::arg("rows").noconvert(), nb::arg("centers").noconvert(), nb::arg("threads"),
      nb::arg("out").noconvert(), "Fill in the distance between each row and each center.");
}

void bind_medoids(nb::module_& m) {
  m.def(
      "build_medoids",
      [](Matrix<const double> distances, Vector<const double> weights, Vector<std::int64_t> medoids) {
        run_kernel(
            [&](StopToken& stop) { build_medoids(view(distances), span(weights), stop, span(medoids)); });
      },
      nb::arg("distances").noconvert(), nb::arg("weights").noconvert(), nb::arg("medoids").noconvert(),
      "Choose medoids one after the other, each the row that saves most.");
  m.def(
      "swap_medoids",
      [](Matrix<const double> distances, Vector<const double> weights, std::int64_t most,
         Vector<std::int64_t> medoids) {
        const MedoidResult result = run_kernel([&](StopToken& stop) {
          return swap_medoids(view(distances), span(weights), most, stop, span(medoids));
        });
        return std::make_tuple(result.cost, result.swaps, result.settled);
      },
      nb::arg("distances").noconvert(), nb::arg("weights").noconvert(), nb::arg("most"),
      nb::arg("medoids").noconvert(),
      "Swap medoids in place; returns cost, swaps and whether no swap is left.");
  m.def(
      "medoid_savings",
      [](Matrix<const double> distances, Vector<const double> weights, Vector<const double> prices,
         int threads, Vector<double> savings) {
        run_kernel([&](StopToken& stop) {
          medoid_savings(view(distances), span(weights), span(prices), threads, stop, span(savings));
        });
      },
      nb::arg("distances").noconvert(), nb::arg("weights").noconvert(), nb::arg("prices").noconvert(),
      nb::arg("threads"), nb::arg("savings").noconvert(),
      "Fill in what each column saves at the given prices, a number of at most 0.");
}

void bind_linkage(nb::module_& m) {
  m.def(
      "link_distances",
      [](Vector<double> half, Vector<const double> sizes, int linkage, Matrix<std::int64_t> pairs,
         Vector<double> heights) {
        run_kernel([&](StopToken& stop) {
          link_distances(span(half), span(sizes), static_cast<Linkage>(linkage), stop, view(pairs),
                         span(heights));
        });
      },
      nb::arg("half").noconvert(), nb::arg("sizes").noconvert(), nb::arg("linkage"),
      nb::arg("pairs").noconvert(), nb::arg("heights").noconvert(),
      "Merge all rows by half of their distances, which are overwritten.");
  m.def(
      "link_centers",
      [](Matrix<double> centers, Vector<const double> sizes, int linkage, Matrix<std::int64_t> pairs,
         Vector<double> heights) {
        run_kernel([&](StopToken& stop) {
          link_centers(view(centers), span(sizes), static_cast<Linkage>(linkage), stop, view(pairs),
                       span(heights));
        });
      },
      nb::arg("centers").noconvert(), nb::arg("sizes").noconvert(), nb::arg("linkage"),
      nb::arg("pairs").noconvert(), nb::arg("heights").noconvert(),
      "Merge all rows by their centers, which are overwritten.");
  m.def(
      "link_graph",
      [](Matrix<const std::int64_t> edges, Vector<const double> lengths, Matrix<double> centers,
         Vector<const double> sizes, int linkage, Matrix<std::int64_t> children, Vector<double> heights) {
        run_kernel([&](StopToken& stop) {
          link_graph(view(edges), span(lengths), view(centers), span(sizes), static_cast<Linkage>(linkage),
                     stop, view(children), span(heights));
        });
      },
      nb::arg("edges").noconvert(), nb::arg("lengths").noconvert(), nb::arg("centers").noconvert(),
      nb::arg("sizes").noconvert(), nb::arg("linkage"), nb::arg("children").noconvert(),
      nb::arg("heights").noconvert(), "Merge connected rows.");
  m.def(
      "name_merges",
      [](Matrix<const std::int64_t> pairs, Matrix<std::int64_t> children) {
        name_merges(view(pairs), view(children));
      },
      nb::arg("pairs").noconvert(), nb::arg("children").noconvert(),
      "Fill in the clusters that each merge joins.");
  m.def(
      "condense",
      [](Matrix<const std::int64_t> children, Vector<const double> heights, std::int64_t least,
         Vector<std::int64_t> row_cluster, Vector<double> row_height, Vector<std::int64_t> parent,
         Vector<double> birth, Vector<std::int64_t> size) {
        return run_kernel([&](StopToken& stop) {
          return condense(view(children), span(heights), least, stop,
                          {span(row_cluster), span(row_height), span(parent), span(birth), span(size)});
        });
      },
      nb::arg("children").noconvert(), nb::arg("heights").noconvert(), nb::arg("least"),
      nb::arg("row_cluster").noconvert(), nb::arg("row_height").noconvert(), nb::arg("parent").noconvert(),
      nb::arg("birth").noconvert(), nb::arg("size").noconvert(),
      "Fill in the condensed tree of a hierarchy; returns its number of clusters.");
}

}  // namespace

void bind_cluster(nb::module_& m) {
  bind_grouped_rows<float>(m, "GroupedRowsFloat");
  bind_grouped_rows<double>(m, "GroupedRowsDouble");
  bind_assignments<float>(m);
  bind_assignments<double>(m);
  bind_medoids(m);
  bind_linkage(m);
  m.def(
      "line_cost",
      [](Vector<const double> values, Vector<const double> weights, Index clusters) {
        return run_kernel(
            [&](StopToken& stop) { return line_cost(span(values), span(weights), clusters, stop); });
      },
      nb::arg("values").noconvert(), nb::arg("weights").noconvert(), nb::arg("clusters"),
      "The least k-means cost of ascending numbers.");
}

}  // namespace certus::bindings
