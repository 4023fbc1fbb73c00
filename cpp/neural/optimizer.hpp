// Step sizes over time, and one step over all parameters: the gradients of the slots are added, the penalty's
// is added, the whole clipped, the parameters and the optimiser's memory moved, in one sweep.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "neural/architecture.hpp"

namespace certus::neural {

enum class Schedule : int { constant, linear, cosine };

struct StepRule {
  Solver solver = Solver::adam;
  Schedule schedule = Schedule::constant;
  double rate = 1e-3;
  double rate_end = 0.0;
  double decay_steps = 1.0;
  double first = 0.9;
  double second = 0.999;
  double epsilon = 1e-8;
  bool nesterov = true;
  double alpha = 1e-4;      // squared L2 penalty of the batch: alpha / 2 |w|^2 / its rows; AdamW: of the step
  double l1 = 0.0;          // l1 |w|_1 / rows
  double clip_norm = 0.0;   // 0: none
  std::int64_t frozen = 0;  // layers, from the input on, that stay as they are
};

// The step size of step t = 0, 1, ...: linear (1 - t/T) rate + t/T rate_end, or half a cosine, then rate_end.
double step_size(const StepRule& rule, std::int64_t step);

// What is moved: parameters and memory (empty where the solver has none).
template <class T>
struct Moving {
  std::span<T> parameters, m, v;
};

// Makes step number `step`. gradients[0] takes the sum of all gradients; `rows` is the weight of the batch.
// Returns the sum of squares of the weights before the step (0 if they have no L2 penalty).
template <class T>
double make_step(const Architecture& net, const StepRule& rule, std::int64_t step, double rows,
                 std::span<T* const> gradients, const Moving<T>& moving, int threads, StopToken& stop);

}  // namespace certus::neural
