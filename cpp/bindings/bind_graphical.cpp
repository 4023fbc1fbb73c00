#include "bindings/common.hpp"
#include "bindings/held_network.hpp"
#include "graphical/chain.hpp"
#include "graphical/emissions.hpp"
#include "graphical/gibbs.hpp"
#include "graphical/network_rows.hpp"

namespace certus::bindings {
namespace {

using namespace certus::graphical;

Chain chain_of(const Vector<const double>& start, const Matrix<const double>& transitions,
               const Vector<const std::int64_t>& sequences) {
  return {span(start), view(transitions), span(sequences)};
}

void bind_recursions(nb::module_& m) {
  m.def(
      "filter_states",
      [](Vector<const double> start, Matrix<const double> transitions, Vector<const std::int64_t> sequences,
         Matrix<const double> log_density, Matrix<double> filtered, Vector<double> likelihood, int threads) {
        run_kernel([&](StopToken& stop) {
          filter_states(chain_of(start, transitions, sequences), view(log_density), view(filtered),
                        span(likelihood), threads, stop);
        });
      },
      nb::arg("start").noconvert(), nb::arg("transitions").noconvert(), nb::arg("sequences").noconvert(),
      nb::arg("log_density").noconvert(), nb::arg("filtered").noconvert(), nb::arg("likelihood").noconvert(),
      nb::arg("threads"), "Fill in log-likelihoods of sequences and, if asked for, filtered probabilities.");
  m.def(
      "expect_states",
      [](Vector<const double> start, Matrix<const double> transitions, Vector<const std::int64_t> sequences,
         Matrix<const double> log_density, Vector<const double> weights, Matrix<double> posterior,
         Vector<double> first, Matrix<double> pairs, Vector<double> likelihood, int threads) {
        const Expectations out{view(posterior), span(first), view(pairs), span(likelihood)};
        run_kernel([&](StopToken& stop) {
          expect_states(chain_of(start, transitions, sequences), view(log_density), span(weights), out,
                        threads, stop);
        });
      },
      nb::arg("start").noconvert(), nb::arg("transitions").noconvert(), nb::arg("sequences").noconvert(),
      nb::arg("log_density").noconvert(), nb::arg("weights").noconvert(), nb::arg("posterior").noconvert(),
      nb::arg("first").noconvert(), nb::arg("pairs").noconvert(), nb::arg("likelihood").noconvert(),
      nb::arg("threads"), "Fill in posteriors and likelihoods; add expected first states and transitions.");
  m.def(
      "best_paths",
      [](Vector<const double> start, Matrix<const double> transitions, Vector<const std::int64_t> sequences,
         Matrix<double> scores, Vector<std::int64_t> path, Vector<double> value, int threads) {
        run_kernel([&](StopToken& stop) {
          best_paths(chain_of(start, transitions, sequences), view(scores), span(path), span(value), threads,
                     stop);
        });
      },
      nb::arg("start").noconvert(), nb::arg("transitions").noconvert(), nb::arg("sequences").noconvert(),
      nb::arg("scores").noconvert(), nb::arg("path").noconvert(), nb::arg("value").noconvert(),
      nb::arg("threads"), "Fill in the most probable paths; scores, the log-densities, are overwritten.");
  m.def(
      "best_values",
      [](Vector<const double> start, Matrix<const double> transitions, Vector<const std::int64_t> sequences,
         Matrix<const double> log_density, Vector<double> value, int threads) {
        run_kernel([&](StopToken& stop) {
          best_values(chain_of(start, transitions, sequences), view(log_density), span(value), threads, stop);
        });
      },
      nb::arg("start").noconvert(), nb::arg("transitions").noconvert(), nb::arg("sequences").noconvert(),
      nb::arg("log_density").noconvert(), nb::arg("value").noconvert(), nb::arg("threads"),
      "Fill in the largest log-probability of any path, by the recursion from the end.");
}

void bind_emissions(nb::module_& m) {
  m.def(
      "gaussian_densities",
      [](Matrix<const double> x, Matrix<const double> means, Matrix<const double> whitening,
         Vector<const double> constant, Matrix<double> out, int threads) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          gaussian_densities(view(x), view(means), view(whitening), span(constant), view(out), threads, stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("means").noconvert(), nb::arg("whitening").noconvert(),
      nb::arg("constant").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill in log-densities of Gaussians with full covariance.");
  m.def(
      "gaussian_moments",
      [](Matrix<const double> x, Matrix<const double> posterior, Matrix<const double> means,
         Matrix<double> first, Matrix<double> second, int threads) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          gaussian_moments(view(x), view(posterior), view(means), view(first), view(second), threads, stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("posterior").noconvert(), nb::arg("means").noconvert(),
      nb::arg("first").noconvert(), nb::arg("second").noconvert(), nb::arg("threads"),
      "Add weighted moments around the means.");
  m.def(
      "symbol_counts",
      [](Vector<const std::int64_t> symbols, Matrix<const double> posterior, Matrix<double> counts,
         int threads) {
        run_kernel([&](StopToken& stop) {
          symbol_counts(span(symbols), view(posterior), view(counts), threads, stop);
        });
      },
      nb::arg("symbols").noconvert(), nb::arg("posterior").noconvert(), nb::arg("counts").noconvert(),
      nb::arg("threads"), "Add weighted counts of symbols.");
}

void bind_networks(nb::module_& m) {
  nb::class_<HeldNetwork>(m, "NetworkArrays", "A Bayesian network as flat arrays.")
      .def(nb::init<Vector<const std::int64_t>, Vector<const std::int64_t>, Vector<const std::int64_t>,
                    Vector<const std::int64_t>, Vector<const double>>(),
           nb::arg("cards").noconvert(), nb::arg("parent_begins").noconvert(), nb::arg("parents").noconvert(),
           nb::arg("table_begins").noconvert(), nb::arg("values").noconvert());
  m.def(
      "draw_network_rows",
      [](const HeldNetwork& network, Vector<const std::int64_t> order, std::uint64_t seed,
         Matrix<std::int32_t> rows, int threads) {
        run_kernel([&](StopToken& stop) {
          draw_network_rows(network.model(), span(order), seed, view(rows), threads, stop);
        });
      },
      nb::arg("network"), nb::arg("order").noconvert(), nb::arg("seed"), nb::arg("rows").noconvert(),
      nb::arg("threads"), "Fill in rows drawn from a network.");
  m.def(
      "gibbs_sweeps",
      [](const HeldNetwork& network, Vector<const std::int64_t> free, Vector<const double> weights,
         std::uint64_t seed, Matrix<std::int32_t> rows, Matrix<std::int32_t> draws, int threads) {
        run_kernel([&](StopToken& stop) {
          gibbs_sweeps(network.model(), span(free), span(weights), seed, view(rows), view(draws), threads,
                       stop);
        });
      },
      nb::arg("network"), nb::arg("free").noconvert(), nb::arg("weights").noconvert(), nb::arg("seed"),
      nb::arg("rows").noconvert(), nb::arg("draws").noconvert(), nb::arg("threads"),
      "Move rows by Gibbs sweeps and keep every sweep.");
  m.def(
      "network_row_likelihoods",
      [](const HeldNetwork& network, Matrix<const std::int32_t> rows, Vector<double> out, int threads) {
        run_kernel([&](StopToken& stop) {
          network_row_likelihoods(network.model(), view(rows), span(out), threads, stop);
        });
      },
      nb::arg("network"), nb::arg("rows").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill in log-probabilities of complete rows.");
}

}  // namespace

void bind_clique_tree(nb::module_& m);

void bind_graphical(nb::module_& m) {
  bind_recursions(m);
  bind_emissions(m);
  bind_networks(m);
  bind_clique_tree(m);
}

}  // namespace certus::bindings
