#include "linear/block_descent.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/penalties.hpp"
#include "core/vector_ops.hpp"

namespace certus::linear {
namespace {

class Descent {
 public:
  Descent(const BlockProblem& problem, std::span<double> step)
      : p_(problem),
        step_(step),
        slope_(problem.gradient.begin(), problem.gradient.end()),
        bend_(slope_.size()),
        fresh_(slope_.size()) {
    for (std::size_t k = 0; k < step.size(); ++k) {
      const auto row = static_cast<Index>(k);
      bend_[k] = p_.hessian(row, row);
      if (step[k] != 0.0) add(row, step[k]);
    }
  }

  Index blocks() const { return static_cast<Index>(p_.l1.size()); }

  // Twice the decrease of the quadratic part, roughly what the block gained; whether it ended away from 0.
  std::pair<double, bool> minimize(Index block) {
    const auto b = static_cast<std::size_t>(block);
    const auto first = static_cast<std::size_t>(p_.starts[b]),
               last = static_cast<std::size_t>(p_.starts[b + 1]);
    for (std::size_t k = first; k < last; ++k) {
      fresh_[k] = bend_[k] * (p_.at[k] + step_[k]) - slope_[k];
    }
    const auto entries = static_cast<Index>(last - first);
    if (!shrink_scaled(fresh_.data() + first, bend_.data() + first, entries, p_.l1[b])) return {0.0, false};
    double gain = 0.0;
    bool used = false;
    for (std::size_t k = first; k < last; ++k) {
      const double change = fresh_[k] - (p_.at[k] + step_[k]);
      used = used || fresh_[k] != 0.0;
      if (change == 0.0) continue;
      step_[k] += change;
      add(static_cast<Index>(k), change);
      gain += bend_[k] * change * change;
    }
    return {gain, used};
  }

 private:
  void add(Index row, double change) {
    vector_ops().add_d(change, p_.hessian.row(row), slope_.data(), p_.hessian.cols);
  }

  const BlockProblem& p_;
  std::span<double> step_;
  std::vector<double> slope_, bend_, fresh_;
};

}  // namespace

Status descend_blocks(const BlockProblem& problem, double tol, Index max_sweeps, StopToken& stop,
                      std::span<double> step) {
  Descent descent(problem, step);
  std::vector<Index> all(static_cast<std::size_t>(descent.blocks())), used;
  std::iota(all.begin(), all.end(), Index{0});
  Status status;
  const auto sweep = [&](const std::vector<Index>& blocks, std::vector<Index>* keep) {
    double total = 0.0;
    for (const Index block : blocks) {
      const auto [gain, away] = descent.minimize(block);
      total += gain;
      if (keep != nullptr && (away || gain > 0.0)) keep->push_back(block);
    }
    ++status.iterations;
    return total;
  };
  while (status.iterations < max_sweeps) {
    used.clear();
    if (sweep(all, &used) <= tol) return status;
    do {
      if (stop.poll()) {
        status.reason = StopReason::interrupted;
        return status;
      }
    } while (status.iterations < max_sweeps && sweep(used, nullptr) > tol);
  }
  return status;
}

}  // namespace certus::linear
