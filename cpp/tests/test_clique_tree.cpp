#include <cmath>
#include <cstdint>
#include <vector>

#include "core/rng.hpp"
#include "graphical/clique_tree.hpp"
#include "graphical/gibbs.hpp"
#include "graphical/network_rows.hpp"
#include "graphical/tree_rows.hpp"
#include "tests/check.hpp"

using namespace certus;
using namespace certus::graphical;

namespace {

// A random network over nodes in topological order, as flat arrays.
struct RandomNetwork {
  std::vector<std::int64_t> cards, parent_begins{0}, parents, table_begins{0};
  std::vector<double> values;

  RandomNetwork(std::uint64_t seed, int nodes) {
    Rng rng(seed);
    for (int node = 0; node < nodes; ++node) {
      cards.push_back(1 + static_cast<std::int64_t>(rng.below(3)));
      std::int64_t rows = 1;
      for (int parent = 0; parent < node; ++parent) {
        if (rng.uniform() > 0.4) continue;
        parents.push_back(parent);
        rows *= cards[static_cast<std::size_t>(parent)];
      }
      parent_begins.push_back(static_cast<std::int64_t>(parents.size()));
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::size_t first = values.size();
        double sum = 0.0;
        for (std::int64_t state = 0; state < cards.back(); ++state)
          sum += values.emplace_back(rng.uniform() + 0.01);
        for (std::size_t k = first; k < values.size(); ++k) values[k] /= sum;
      }
      table_begins.push_back(static_cast<std::int64_t>(values.size()));
    }
  }
  NetworkModel model() const { return {cards, parent_begins, parents, table_begins, values}; }
};

// Calls body(row, P(row)) for every row that agrees with the states (-1: any).
template <class Body>
void every_row(const NetworkModel& model, const std::vector<std::int64_t>& states, Body&& body) {
  std::vector<std::int32_t> row(states.size(), 0);
  StopToken stop;
  for (;;) {
    bool agrees = true;
    for (std::size_t v = 0; v < row.size(); ++v) agrees = agrees && (states[v] < 0 || states[v] == row[v]);
    double log_row = 0.0;
    network_row_likelihoods(model, View2D<const std::int32_t>(row.data(), 1, static_cast<Index>(row.size())),
                            {&log_row, 1}, 1, stop);
    if (agrees) body(row, std::exp(log_row));
    std::size_t v = 0;
    while (v < row.size() && ++row[v] == model.cards[v]) row[v++] = 0;
    if (v == row.size()) return;
  }
}

}  // namespace

TEST(clique_tree_against_all_rows) {
  StopToken stop;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomNetwork network(seed, 7);
    const NetworkModel model = network.model();
    std::vector<std::int64_t> states(7, -1);
    std::vector<std::uint8_t> observed(7, 0);
    const std::vector<std::uint8_t> kept(7, 1);
    if (seed % 2 == 0) {
      states[5] = model.cards[5] - 1;
      observed[5] = 1;
    }
    double sum = 0.0, best = 0.0;
    std::vector<std::vector<double>> marginals;
    for (const std::int64_t card : model.cards) marginals.emplace_back(static_cast<std::size_t>(card), 0.0);
    every_row(model, states, [&](const std::vector<std::int32_t>& row, double probability) {
      sum += probability;
      best = std::max(best, probability);
      for (std::size_t v = 0; v < row.size(); ++v)
        marginals[v][static_cast<std::size_t>(row[v])] += probability;
    });
    CliqueTree tree(model, {kept, observed, {}, {}}, stop);
    tree.load(states, {});
    CHECK(tree.collect(CliqueTree::Mode::kSum, false, 2, stop));
    CHECK(std::abs(tree.log_total() - std::log(sum)) < 1e-12);
    std::vector<std::int32_t> drawn(7 * 3, 0);
    draw_tree_rows(tree, seed, View2D<std::int32_t>(drawn.data(), 3, 7), stop);
    tree.distribute(2, stop);
    for (Index v = 0; v < 7; ++v) {
      if (observed[static_cast<std::size_t>(v)]) continue;
      auto& wanted = marginals[static_cast<std::size_t>(v)];
      std::vector<double> found(wanted.size());
      tree.marginal(v, found);
      for (std::size_t k = 0; k < found.size(); ++k) CHECK(std::abs(found[k] - wanted[k] / sum) < 1e-12);
    }
    std::vector<double> counts(network.values.size(), 0.0);
    tree.add_families(2.0, counts);
    double total = 0.0;
    for (const double count : counts) total += count;
    CHECK(std::abs(total - 14.0) < 1e-10);
    CliqueTree largest(model, {kept, observed, {}, {}}, stop);
    largest.load(states, {});
    CHECK(largest.collect(CliqueTree::Mode::kMax, false, 1, stop));
    CHECK(std::abs(largest.log_total() - std::log(best)) < 1e-12);
    std::vector<std::int64_t> chosen = states;
    largest.best(chosen, false);
    double reached = 0.0;
    every_row(model, chosen,
              [&](const std::vector<std::int32_t>&, double probability) { reached += probability; });
    CHECK(std::abs(reached - best) < 1e-12);
  }
}

TEST(gibbs_sweeps_stay_possible) {
  StopToken stop;
  const RandomNetwork network(3, 6);
  const NetworkModel model = network.model();
  const std::vector<std::int64_t> free{0, 1, 2, 3, 4, 5};
  std::vector<std::int32_t> rows(2 * 6, 0), draws(2 * 50 * 6, -1);
  gibbs_sweeps(model, free, {}, 1, View2D<std::int32_t>(rows.data(), 2, 6),
               View2D<std::int32_t>(draws.data(), 100, 6), 2, stop);
  for (std::size_t k = 0; k < draws.size(); ++k) CHECK(draws[k] >= 0 && draws[k] < model.cards[k % 6]);
}
