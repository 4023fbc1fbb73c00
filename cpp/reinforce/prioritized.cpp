#include "reinforce/prioritized.hpp"

#include <cmath>
#include <limits>

#include "reinforce/state_heap.hpp"

namespace certus::reinforce {
namespace {

double best_value(const Process& process, std::size_t state, const double* values) {
  double best = -std::numeric_limits<double>::infinity();
  for (Index pair = process.starts[state]; pair < process.starts[state + 1]; ++pair) {
    best = std::max(best, process.backup(pair, values));
  }
  return best;
}

}  // namespace

std::int64_t prioritized(const Process& process, std::span<const std::int64_t> before_starts,
                         std::span<const std::int32_t> before, std::span<double> values, double least,
                         std::int64_t most, StopToken& stop) {
  const auto states = static_cast<std::size_t>(process.states());
  StateHeap heap(states);
  const auto look_at = [&](std::size_t state) {
    if (process.terminal(static_cast<Index>(state))) return;
    heap.set(state, std::abs(best_value(process, state, values.data()) - values[state]));
  };
  for (std::size_t state = 0; state < states; ++state) {
    if (stop.poll()) return 0;
    look_at(state);
  }
  std::int64_t updates = 0;
  while (updates < most && !heap.empty() && heap.highest() > least && !stop.poll()) {
    const std::size_t state = heap.pop();
    values[state] = best_value(process, state, values.data());
    ++updates;
    heap.set(state, 0.0);
    for (std::int64_t k = before_starts[state]; k < before_starts[state + 1]; ++k) {
      look_at(static_cast<std::size_t>(before[static_cast<std::size_t>(k)]));
    }
  }
  return updates;
}

}  // namespace certus::reinforce
