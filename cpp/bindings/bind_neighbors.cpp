#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/common.hpp"
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

}  // namespace

void bind_neighbors(nb::module_& m) { bind_votes(m); }

}  // namespace certus::bindings
