#include "graphical/network_rows.hpp"

#include <cmath>

#include "core/parallel.hpp"
#include "core/rng.hpp"

namespace certus::graphical {
namespace {

constexpr Index kBlock = 1024;

// The probabilities of a node's states given the row's parents.
const double* conditional(const NetworkModel& model, Index node, const std::int32_t* row) {
  std::int64_t place = 0;
  for (const std::int64_t parent : model.parents_of(node)) place = place * model.card(parent) + row[parent];
  return model.table(node) + place * model.card(node);
}

// The state at which the running sum passes u; never one of probability 0.
std::int32_t draw(const double* probabilities, std::int64_t count, double u) {
  std::int32_t last = 0;
  for (std::int32_t state = 0; state < count; ++state) {
    if (probabilities[state] <= 0.0) continue;
    last = state;
    u -= probabilities[state];
    if (u < 0.0) break;
  }
  return last;
}

}  // namespace

void draw_network_rows(const NetworkModel& model, std::span<const std::int64_t> order, std::uint64_t seed,
                       View2D<std::int32_t> rows, int threads, StopToken& stop) {
  parallel_ranges(rows.rows, kBlock, threads, stop, [&](Index first, Index last, int) {
    Rng rng(seed, static_cast<std::uint64_t>(first / kBlock));
    for (Index at = first; at < last && !stop.poll(); ++at) {
      std::int32_t* row = rows.row(at);
      for (const std::int64_t node : order) {
        row[node] = draw(conditional(model, node, row), model.card(node), rng.uniform());
      }
    }
  });
}

void network_row_likelihoods(const NetworkModel& model, View2D<const std::int32_t> rows,
                             std::span<double> out, int threads, StopToken& stop) {
  parallel_ranges(rows.rows, kBlock, threads, stop, [&](Index first, Index last, int) {
    for (Index at = first; at < last && !stop.poll(); ++at) {
      const std::int32_t* row = rows.row(at);
      double sum = 0.0;
      for (Index node = 0; node < model.nodes(); ++node) {
        sum += std::log(conditional(model, node, row)[row[node]]);
      }
      out[static_cast<std::size_t>(at)] = sum;
    }
  });
}

}  // namespace certus::graphical
