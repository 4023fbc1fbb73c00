// Stochastic gradient descent for linear models, row after row, with ridge, L1 (cumulative, Tsuruoka et al.
// 2009) or elastic-net penalty, several step-size rules, averaging, and early stopping.
//
//   w := (1 - step alpha (1 - l1_ratio)) w - step weight slope x,   then L1 truncation by what has
//   accumulated
//
// The shrinking factor is kept apart (w = scale v), so that a sparse row costs only its entries.
#pragma once

#include <cstdint>

#include "core/losses.hpp"
#include "core/stop.hpp"
#include "linear/table_rows.hpp"

namespace certus::linear {

enum class StepRule : int { constant, optimal, invscaling, adaptive, pa1, pa2, pegasos };

struct StochasticOptions {
  Loss loss{LossKind::hinge};
  bool ridge = true;      // whether the penalty has a ridge part
  bool truncate = false;  // whether it has an L1 part
  double alpha = 1e-4;
  double l1_ratio = 0.0;
  StepRule rule = StepRule::optimal;
  double eta0 = 0.01;
  double power_t = 0.5;
  bool fit_intercept = true;
  double intercept_decay = 1.0;
  bool shuffle = true;
  std::uint64_t seed = 0;
  std::int64_t average_from = 0;  // 0: no averaging
  double tol = 0.0;               // minus infinity: never stop early
  Index patience = 5;
  bool classifies = true;  // which score the validation rows give: accuracy or R^2
};

// The state of one problem between calls; numbers that are not vectors are kept in `numbers`.
struct StochasticState {
  enum Number {
    intercept,
    average_intercept,
    steps,
    step_size,
    l1_total,
    best,
    waited,
    epochs,
    finished,
    updates,
    objective,
    overflow,
    count
  };
  std::span<double> coef;
  std::span<double> average;   // empty without averaging
  std::span<double> l1_taken;  // empty without L1 part
  std::span<double> numbers;
};

struct StochasticProblem {
  std::span<const double> target;
  std::span<const double> weights;     // of the rows, with those of the classes; empty: all 1
  std::span<const std::uint8_t> held;  // rows kept for validation; empty: none
};

// Runs up to `epochs` more epochs. The order of the rows is drawn from (seed, problem, epoch).
template <class Rows>
void stochastic_descent(const Rows& x, const StochasticProblem& problem, const StochasticOptions& options,
                        Index number, Index epochs, StopToken& stop, const StochasticState& state);

// The same for several problems on one table: a row of the matrices for each, in parallel.
struct StochasticProblems {
  View2D<const double> targets;
  View2D<const double> weights;  // empty: all 1
  std::span<const std::uint8_t> held;
};

struct StochasticStates {
  View2D<double> coef, average, l1_taken, numbers;  // `average` and `l1_taken` may be empty
};

template <class Rows>
void stochastic_descents(const Rows& x, const StochasticProblems& problems, const StochasticOptions& options,
                         Index epochs, int threads, StopToken& stop, const StochasticStates& states);

}  // namespace certus::linear
