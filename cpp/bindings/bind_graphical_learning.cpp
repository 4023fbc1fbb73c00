#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>
#include <vector>

#include "bindings/common.hpp"
#include "bindings/held_network.hpp"
#include "graphical/best_network.hpp"
#include "graphical/completions.hpp"
#include "graphical/hill_climb.hpp"
#include "graphical/set_sums.hpp"

namespace certus::bindings {
namespace {

using namespace certus::graphical;

CodedRows coded_rows(const Matrix<const std::int32_t>& columns, const Vector<const std::int32_t>& arities,
                     const Vector<const double>& weights) {
  const std::size_t cells = columns.shape(0) * columns.shape(1);
  return {{columns.data(), columns.data() + cells},
          static_cast<Index>(columns.shape(1)),
          {arities.data(), arities.data() + arities.shape(0)},
          {weights.data(), weights.data() + weights.shape(0)}};
}

std::vector<ColumnSet> sets_of(const Vector<const std::int64_t>& first,
                               const Vector<const std::int32_t>& columns) {
  std::vector<ColumnSet> found;
  for (std::size_t k = 0; k + 1 < first.shape(0); ++k)
    found.emplace_back(columns.data() + first.data()[k], columns.data() + first.data()[k + 1]);
  return found;
}

void bind_search(nb::class_<SetSums>& sums) {
  sums.def(
      "hill_climb",
      [](SetSums& self, Matrix<const std::uint8_t> allowed, Matrix<const std::uint8_t> required,
         std::vector<ColumnSet> parents, std::vector<Index> most_parents, Index remembered, Index patience,
         Index restarts, std::uint64_t seed, int threads) {
        const ClimbLimits limits{std::move(most_parents), remembered, patience, restarts, seed, threads};
        const double score = run_kernel([&](StopToken& stop) {
          return hill_climb(self, view(allowed), view(required), limits, parents, stop);
        });
        return std::make_tuple(score, parents);
      },
      nb::arg("allowed").noconvert(), nb::arg("required").noconvert(), nb::arg("parents"),
      nb::arg("most_parents"), nb::arg("remembered"), nb::arg("patience"), nb::arg("restarts"),
      nb::arg("seed"), nb::arg("threads"),
      "Climb from these parents; returns the score and the best parents.");
  sums.def(
      "best_parents",
      [](const SetSums& self, Column child, std::uint64_t allowed, std::uint64_t required, Index most,
         Vector<const double> joint, Vector<const double> parent, Vector<double> best,
         Vector<std::uint32_t> which) {
        run_kernel([&](StopToken& stop) {
          best_parents(self, {child, allowed, required, most}, span(joint), span(parent), span(best),
                       span(which), stop);
        });
      },
      nb::arg("child"), nb::arg("allowed"), nb::arg("required"), nb::arg("most"),
      nb::arg("joint").noconvert(), nb::arg("parent").noconvert(), nb::arg("best").noconvert(),
      nb::arg("which").noconvert(), "Fill in the best parents of a child within every set of the others.");
}

void bind_sums(nb::module_& m) {
  nb::class_<SetSums> sums(m, "SetSums", "Sums over contingency tables of coded columns, counted once.");
  sums.def(
      "__init__",
      [](SetSums* self, Matrix<const std::int32_t> columns, Vector<const std::int32_t> arities,
         Vector<const double> weights, int score, double sample_size, double penalty) {
        new (self)
            SetSums(coded_rows(columns, arities, weights), {static_cast<Score>(score), sample_size, penalty});
      },
      nb::arg("columns").noconvert(), nb::arg("arities").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("score"), nb::arg("sample_size"), nb::arg("penalty"));
  sums.def(
      "score",
      [](SetSums& self, Vector<const std::int32_t> children, Vector<const std::int64_t> first,
         Vector<const std::int32_t> parents, Vector<double> out, int threads) {
        const auto sets = sets_of(first, parents);
        run_kernel([&](StopToken& stop) { self.score(span(children), sets, span(out), threads, stop); });
      },
      nb::arg("children").noconvert(), nb::arg("first").noconvert(), nb::arg("parents").noconvert(),
      nb::arg("out").noconvert(), nb::arg("threads"), "Fill in scores of families.");
  sums.def(
      "entropies",
      [](SetSums& self, Vector<const std::int64_t> first, Vector<const std::int32_t> columns,
         Vector<double> out, int threads) {
        const auto sets = sets_of(first, columns);
        run_kernel([&](StopToken& stop) { self.entropies(sets, span(out), threads, stop); });
      },
      nb::arg("first").noconvert(), nb::arg("columns").noconvert(), nb::arg("out").noconvert(),
      nb::arg("threads"), "Fill in sum N ln N of sets of columns.");
  sums.def(
      "all_sums",
      [](const SetSums& self, Index most, std::int32_t prior, Vector<double> out, int threads) {
        run_kernel([&](StopToken& stop) { self.all_sums(most, prior, span(out), threads, stop); });
      },
      nb::arg("most"), nb::arg("prior"), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill in the sums of all small sets of columns by their bits.");
  bind_search(sums);
  m.def(
      "best_network",
      [](Matrix<const double> best, Matrix<const std::uint32_t> which, Vector<std::uint32_t> parents) {
        return run_kernel(
            [&](StopToken& stop) { return best_network(view(best), view(which), span(parents), stop); });
      },
      nb::arg("best").noconvert(), nb::arg("which").noconvert(), nb::arg("parents").noconvert(),
      "Fill in the parents of the best network; returns its score.");
}

void bind_completions(nb::module_& m) {
  m.def(
      "most_completions",
      [](const HeldNetwork& network, Matrix<const std::int32_t> rows, bool observed_only) {
        return run_kernel([&](StopToken& stop) {
          return most_completions(network.model(), view(rows), observed_only, stop);
        });
      },
      nb::arg("network"), nb::arg("rows").noconvert(), nb::arg("observed_only"),
      "Completions of the largest part of any row's missing cells.");
  m.def(
      "row_likelihoods",
      [](const HeldNetwork& network, Matrix<const std::int32_t> rows, Vector<double> out, int threads) {
        run_kernel(
            [&](StopToken& stop) { row_likelihoods(network.model(), view(rows), span(out), threads, stop); });
      },
      nb::arg("network"), nb::arg("rows").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill in log-likelihoods of rows with missing cells.");
  m.def(
      "expected_counts",
      [](const HeldNetwork& network, Matrix<const std::int32_t> rows, Vector<const double> weights,
         Vector<double> out, Vector<double> counts, int threads) {
        run_kernel([&](StopToken& stop) {
          expected_counts(network.model(), view(rows), span(weights), span(out), span(counts), threads, stop);
        });
      },
      nb::arg("network"), nb::arg("rows").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("out").noconvert(), nb::arg("counts").noconvert(), nb::arg("threads"),
      "Fill in log-likelihoods, and add expected counts of families.");
}

}  // namespace

void bind_graphical_learning(nb::module_& m) {
  bind_sums(m);
  bind_completions(m);
}

}  // namespace certus::bindings
