#include "graphical/gibbs.hpp"

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "core/rng.hpp"

namespace certus::graphical {
namespace {

std::size_t at(Index place) { return static_cast<std::size_t>(place); }

// Families of a node: its own and its children's, each with the stride of the node in the family's table.
struct Family {
  Index node, stride;
};

std::vector<std::vector<Family>> families_of(const NetworkModel& model) {
  std::vector<std::vector<Family>> found(at(model.nodes()));
  for (Index node = 0; node < model.nodes(); ++node) {
    found[at(node)].push_back({node, 1});
    Index stride = model.card(node);
    const auto parents = model.parents_of(node);
    for (auto parent = parents.rbegin(); parent != parents.rend(); ++parent) {
      found[at(*parent)].push_back({node, stride});
      stride *= model.card(*parent);
    }
  }
  return found;
}

Index cell_of(const NetworkModel& model, Index node, const std::int32_t* row) {
  Index place = 0;
  for (const std::int64_t parent : model.parents_of(node)) place = place * model.card(parent) + row[parent];
  return place * model.card(node) + row[node];
}

}  // namespace

void gibbs_sweeps(const NetworkModel& model, std::span<const std::int64_t> free,
                  std::span<const double> weights, std::uint64_t seed, View2D<std::int32_t> rows,
                  View2D<std::int32_t> draws, int threads, StopToken& stop) {
  const auto families = families_of(model);
  std::vector<Index> begins(at(model.nodes()) + 1, 0);
  for (Index node = 0; node < model.nodes(); ++node)
    begins[at(node) + 1] = begins[at(node)] + model.card(node);
  const Index sweeps = rows.rows > 0 ? draws.rows / rows.rows : 0;
  parallel_for(rows.rows, threads, stop, [&](Index chain, int) {
    Rng rng(seed, static_cast<std::uint64_t>(chain));
    std::int32_t* row = rows.row(chain);
    std::vector<double> mass;
    for (Index sweep = 0; sweep < sweeps && !stop.poll(); ++sweep) {
      for (const std::int64_t node : free) {
        const Index states = model.card(node);
        mass.assign(at(states), 1.0);
        if (!weights.empty()) std::copy_n(weights.begin() + begins[at(node)], states, mass.begin());
        for (const Family& family : families[at(node)]) {
          const Index base = cell_of(model, family.node, row) - row[node] * family.stride;
          const double* table = model.table(family.node) + base;
          for (Index state = 0; state < states; ++state) mass[at(state)] *= table[state * family.stride];
        }
        double total = 0.0;
        for (const double value : mass) total += value;
        if (total <= 0.0) continue;  // underflow: stay
        double left = rng.uniform() * total;
        for (Index state = 0; state < states; ++state) {
          if (mass[at(state)] <= 0.0) continue;
          row[node] = static_cast<std::int32_t>(state);
          left -= mass[at(state)];
          if (left < 0.0) break;
        }
      }
      std::copy_n(row, rows.cols, draws.row(chain * sweeps + sweep));
    }
  });
}

}  // namespace certus::graphical
