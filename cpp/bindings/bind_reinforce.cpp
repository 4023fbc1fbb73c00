#include "bindings/bind_reinforce.hpp"

#include "bindings/common.hpp"
#include "reinforce/prioritized.hpp"
#include "reinforce/sweeps.hpp"

namespace certus::bindings {
namespace {

using namespace certus::reinforce;

void bind_process(nb::module_& m) {
  nb::class_<HeldProcess>(m, "Process", "A decision process as kernels read it.")
      .def(
          "__init__",
          [](HeldProcess* place, Vector<const std::int64_t> starts, Vector<const double> rewards,
             double discount, Matrix<const double> rows) {
            new (place) HeldProcess{starts, rewards, rows, {}, {}, {}, {}};
            place->view = {span(starts), span(rewards), discount, view(rows), {}, {}, {}};
          },
          nb::arg("starts").noconvert(), nb::arg("rewards").noconvert(), nb::arg("discount"),
          nb::arg("rows").noconvert())
      .def(
          "__init__",
          [](HeldProcess* place, Vector<const std::int64_t> starts, Vector<const double> rewards,
             double discount, Vector<const std::int64_t> row_starts, Vector<const std::int32_t> columns,
             Vector<const double> shares) {
            new (place) HeldProcess{starts, rewards, {}, row_starts, columns, shares, {}};
            place->view = {span(starts),     span(rewards), discount,    View2D<const double>(),
                           span(row_starts), span(columns), span(shares)};
          },
          nb::arg("starts").noconvert(), nb::arg("rewards").noconvert(), nb::arg("discount"),
          nb::arg("row_starts").noconvert(), nb::arg("columns").noconvert(), nb::arg("shares").noconvert());
}

void bind_sweeps(nb::module_& m) {
  m.def(
      "bellman_sweep",
      [](const HeldProcess& process, Vector<const double> values, Vector<double> out,
         Vector<std::int32_t> best, Vector<std::int32_t> live, Vector<std::int32_t> counts, double lower,
         double upper, double margin, bool dropping, int threads) {
        const SweepResult found = run_kernel([&](StopToken& stop) {
          return sweep(process.view, span(values), span(out), span(best), {span(live), span(counts)},
                       {lower, upper, margin, dropping}, threads, stop);
        });
        return std::make_tuple(found.least, found.most, found.dropped);
      },
      nb::arg("process"), nb::arg("values").noconvert(), nb::arg("out").noconvert(),
      nb::arg("best").noconvert(), nb::arg("live").noconvert(), nb::arg("counts").noconvert(),
      nb::arg("lower"), nb::arg("upper"), nb::arg("margin"), nb::arg("dropping"), nb::arg("threads"),
      "Fill in T U and the best pairs; returns the least and the largest of T U - U and the pairs dropped.");
  m.def(
      "policy_sweeps",
      [](const HeldProcess& process, Vector<const std::int32_t> pairs, Vector<double> values,
         Vector<double> scratch, std::int64_t times, double enough, int threads) {
        run_kernel([&](StopToken& stop) {
          policy_sweeps(process.view, span(pairs), span(values), span(scratch), times, enough, threads, stop);
        });
      },
      nb::arg("process"), nb::arg("pairs").noconvert(), nb::arg("values").noconvert(),
      nb::arg("scratch").noconvert(), nb::arg("times"), nb::arg("enough"), nb::arg("threads"),
      "Apply a policy's operator in place.");
  m.def(
      "gauss_seidel",
      [](const HeldProcess& process, Vector<const std::int64_t> order, Vector<double> values,
         Vector<std::int32_t> live, Vector<std::int32_t> counts, std::int64_t times) {
        return run_kernel([&](StopToken& stop) {
          return gauss_seidel(process.view, span(order), span(values), {span(live), span(counts)}, times,
                              stop);
        });
      },
      nb::arg("process"), nb::arg("order").noconvert(), nb::arg("values").noconvert(),
      nb::arg("live").noconvert(), nb::arg("counts").noconvert(), nb::arg("times"),
      "Sweep in place in the given order; returns the largest change of the last time.");
  m.def(
      "pair_values",
      [](const HeldProcess& process, Vector<const double> values, Vector<double> out, int threads) {
        run_kernel(
            [&](StopToken& stop) { pair_values(process.view, span(values), span(out), threads, stop); });
      },
      nb::arg("process"), nb::arg("values").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill in the value of every pair.");
  m.def(
      "certified_pairs",
      [](const HeldProcess& process, Vector<const double> lower, Vector<const double> upper,
         Vector<const std::int32_t> chosen, double margin, Vector<std::uint8_t> proved, int threads) {
        run_kernel([&](StopToken& stop) {
          certified(process.view, span(lower), span(upper), span(chosen), margin, span(proved), threads,
                    stop);
        });
      },
      nb::arg("process"), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
      nb::arg("chosen").noconvert(), nb::arg("margin"), nb::arg("proved").noconvert(), nb::arg("threads"),
      "Mark the states whose chosen pair is best for all values between two vectors.");
  m.def(
      "prioritized_sweeping",
      [](const HeldProcess& process, Vector<const std::int64_t> before_starts,
         Vector<const std::int32_t> before, Vector<double> values, double least, std::int64_t most) {
        return run_kernel([&](StopToken& stop) {
          return prioritized(process.view, span(before_starts), span(before), span(values), least, most,
                             stop);
        });
      },
      nb::arg("process"), nb::arg("before_starts").noconvert(), nb::arg("before").noconvert(),
      nb::arg("values").noconvert(), nb::arg("least"), nb::arg("most"),
      "Update the state with the largest violation, again and again; returns the updates.");
}

}  // namespace

void bind_reinforce(nb::module_& m) {
  bind_process(m);
  bind_sweeps(m);
  bind_reinforce_agents(m);
}

}  // namespace certus::bindings
