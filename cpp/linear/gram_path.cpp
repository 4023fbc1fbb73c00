#include "linear/gram_path.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/vector_ops.hpp"
#include "linear/gram_descent.hpp"

namespace certus::linear {
namespace {

constexpr double share_of_wanted = 0.5;

// slope := cross - gram * coef
void refresh(GramSystem& system) {
  std::copy_n(system.cross, system.targets * system.stride, system.slope);
  for (Index t = 0; t < system.targets; ++t) {
    for (Index k = 0; k < system.size; ++k) {
      const double w = system.coef[t * system.stride + k];
      if (w != 0.0)
        vector_ops().add_d(-w, system.gram + k * system.stride, system.slope + t * system.stride,
                           system.size);
    }
  }
}

void solve_point(GramSystem& system, const std::vector<Index>& all, const BlockPenalty& penalty,
                 const PathOptions& options, GramDescent& descent, Budget& budget, StopToken& stop,
                 const PathRecord& record, GapParts& parts) {
  const double wanted = options.wanted;
  for (std::int64_t round = 0;; ++round) {
    parts = gram_gap_parts(system, all, penalty);
    record.note(round, parts.primal(penalty), parts.gap(penalty));
    if (parts.gap(penalty) <= wanted || budget.exhausted() || round == options.max_rounds || stop.poll())
      return;
    std::vector<Index> working;
    for (const Index k : all) {
      const bool active = block_norm(system.coef + k, system.targets, system.stride) != 0.0;
      const double size =
          dual_size(system.slope + k, system.coef + k, system.targets, system.stride, penalty);
      if (active || size > penalty.l1) working.push_back(k);
    }
    const std::int64_t visited = budget.visits;
    descent.run(system, working, penalty, share_of_wanted * wanted, budget, stop);
    refresh(system);
    const double before = parts.gap(penalty);
    parts = gram_gap_parts(system, all, penalty);
    if (budget.visits == visited) return;
    // No column waits outside and the sweeps have gone as far as they can: machine precision.
    if (parts.largest <= penalty.l1 * (1.0 + 1e-14) && parts.gap(penalty) >= 0.999 * before) return;
  }
}

}  // namespace

void solve_gram_path(View2D<const double> gram, View2D<const double> cross, double target_squares,
                     const PathOptions& options, StopToken& stop, const PathRecord& record) {
  // The arrays are contiguous; the strides of an array with one row say nothing.
  const Index size = gram.rows, targets = cross.rows;
  std::vector<double> coef(static_cast<std::size_t>(targets * size)), slope(coef.size());
  for (Index k = 0; k < size; ++k) {
    for (Index t = 0; t < targets; ++t) {
      coef[static_cast<std::size_t>(t * size + k)] = record.coefs(0, k * targets + t);
    }
  }
  GramSystem system{gram.data, size, size, targets, target_squares, cross.data, coef.data(), slope.data()};
  Rng random(options.seed);
  GramDescent descent(options.random ? &random : nullptr);
  std::vector<Index> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), Index{0});
  refresh(system);
  for (std::size_t point = 0; point < options.l1.size(); ++point) {
    const BlockPenalty penalty{options.l1[point], options.l2[point], options.positive};
    Budget budget{0, options.max_sweeps * size};
    GapParts parts;
    solve_point(system, all, penalty, options, descent, budget, stop, record, parts);
    for (Index k = 0; k < size; ++k) {
      for (Index t = 0; t < targets; ++t) {
        record.coefs(static_cast<Index>(point), k * targets + t) =
            coef[static_cast<std::size_t>(t * size + k)];
      }
    }
    record.gaps[point] = parts.gap(penalty);
    record.objectives[point] = parts.primal(penalty);
    record.sweeps[point] = size == 0 ? 0 : (budget.visits + size - 1) / size;
    if (stop.poll()) return;
  }
}

}  // namespace certus::linear
