#include "bindings/common.hpp"
#include "guarantees/betting.hpp"

namespace certus::bindings {

void bind_guarantees(nb::module_& m) {
  m.def(
      "betting_upper",
      [](Matrix<const double> samples, double log_level, double cap, Vector<double> out, int threads) {
        run_kernel(
            [&](StopToken& stop) { betting_upper(view(samples), log_level, cap, span(out), threads, stop); });
      },
      nb::arg("samples").noconvert(), nb::arg("log_level"), nb::arg("cap"), nb::arg("out").noconvert(),
      nb::arg("threads"), "Upper bounds on means in [0, 1] by betting, one per row of samples.");
  m.def(
      "star_upper",
      [](Matrix<const double> samples, double log_level, double cap, Vector<const double> grid,
         Vector<double> out, int threads) {
        run_kernel([&](StopToken& stop) {
          star_upper(view(samples), log_level, cap, span(grid), span(out), threads, stop);
        });
      },
      nb::arg("samples").noconvert(), nb::arg("log_level"), nb::arg("cap"), nb::arg("grid").noconvert(),
      nb::arg("out").noconvert(), nb::arg("threads"),
      "Upper bounds on means in [0, 1] by STaR bets over a descending grid, one per row of samples.");
  m.def(
      "seeded_order", [](std::uint64_t seed, Vector<std::int64_t> out) { seeded_order(seed, span(out)); },
      nb::arg("seed"), nb::arg("out").noconvert(),
      "Fill `out` with the permutation that belongs to the seed.");
}

}  // namespace certus::bindings
