// Stochastic average gradient for the mean of row losses plus a ridge penalty, as it was published first
// (SAG: Schmidt, Le Roux, Bach 2013) and with an unbiased direction (SAGA: Defazio, Bach, Lacoste-Julien
// 2014, eq. 1).
//
//   SAG    w := (1 - step strength) w - (step / rows seen) sum_i g_i x_i
//   SAGA   the same with the sum before the drawn row's change c, and in addition  w := w - step c x
//
// where g_i is the slope of row i's loss when the row was last drawn. The shrinking factor is kept apart
// (w = scale v) and columns pay what they owe when a row needs them, so that a sparse row costs only its
// entries.
#pragma once

#include <cstdint>
#include <span>

#include "core/losses.hpp"
#include "core/stop.hpp"
#include "linear/table_rows.hpp"

namespace certus::linear {

struct SagProblem {
  LossKind loss = LossKind::logistic;  // or squared, or multinomial
  std::span<const double> target;      // class codes or numbers
  std::span<const double> weights;     // empty: all 1
  Index outputs = 1;
  double strength = 0.0;         // of the ridge penalty, divided by the number of rows
  double step = 0.0;             // constant step size
  double intercept_decay = 0.0;  // factor of the intercept's steps; 0: no intercept
  bool unbiased = false;         // SAGA instead of SAG
};

// What lasts between epochs. Matrices are columns x outputs and rows x outputs.
struct SagState {
  std::span<double> coef;
  std::span<double> intercept;
  std::span<double> sums;
  std::span<double> intercept_sums;
  std::span<double> slopes;
  std::span<std::uint8_t> seen;
};

// As many draws with replacement as there are rows, in an order given by (seed, epoch).
template <class Rows>
void sag_epoch(const Rows& x, const SagProblem& problem, std::uint64_t seed, std::uint64_t epoch,
               StopToken& stop, const SagState& state);

}  // namespace certus::linear
