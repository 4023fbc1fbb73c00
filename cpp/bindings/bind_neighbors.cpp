#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>

#include "bindings/common.hpp"
#include "neighbors/density.hpp"
#include "neighbors/votes.hpp"

namespace certus::bindings {
namespace {

using namespace certus::neighbors;

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

void bind_densities(nb::module_& m) {
  nb::class_<DensityRows>(m, "DensityRows",
                          "Weighted rows, in groups with boxes, around which kernels are summed.")
      .def(
          "log_sums",
          [](const DensityRows& rows, Matrix<const double> queries, int kernel, Vector<const double> inverse,
             double absolute, double relative, bool leave_out, int threads, Vector<double> out) {
            const DensityRule rule{static_cast<DensityKernel>(kernel), span(inverse), absolute, relative};
            run_kernel([&](StopToken& stop) {
              rows.log_sums(view(queries), rule, leave_out, threads, stop, span(out));
            });
          },
          nb::arg("queries").noconvert(), nb::arg("kernel"), nb::arg("inverse").noconvert(),
          nb::arg("absolute"), nb::arg("relative"), nb::arg("leave_out"), nb::arg("threads"),
          nb::arg("out").noconvert(), "Fill in the logarithm of the sum of kernels at each query.");
  m.def(
      "build_density_rows",
      [](Matrix<const double> rows, Vector<const double> weights) {
        return run_kernel(
            [&](StopToken& stop) { return std::make_unique<DensityRows>(view(rows), span(weights), stop); });
      },
      nb::arg("rows").noconvert(), nb::arg("weights").noconvert(), "Cut weighted rows into groups.");
  m.def(
      "density_log_sums_at",
      [](Matrix<double> distances, Vector<const double> weights, int kernel, double inverse, int threads,
         Vector<double> out) {
        run_kernel([&](StopToken& stop) {
          log_sums_at(view(distances), span(weights), static_cast<DensityKernel>(kernel), inverse, threads,
                      stop, span(out));
        });
      },
      nb::arg("distances").noconvert(), nb::arg("weights").noconvert(), nb::arg("kernel"), nb::arg("inverse"),
      nb::arg("threads"), nb::arg("out").noconvert(),
      "Fill in the logarithm of the sum of kernels at given distances, which are overwritten.");
}

}  // namespace

void bind_neighbors(nb::module_& m) {
  bind_votes(m);
  bind_densities(m);
}

}  // namespace certus::bindings
