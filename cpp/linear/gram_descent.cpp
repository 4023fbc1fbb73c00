#include "linear/gram_descent.hpp"

#include <algorithm>
#include <cmath>

#include "linear/cholesky.hpp"
#include "linear/column_ops.hpp"

namespace certus::linear {
namespace {

constexpr double machine = 2.3e-16;
constexpr double least_pivot = 1e-11;    // below, the support counts as collinear and is not solved exactly
constexpr Index largest_support = 3000;  // of an exact solution: 72 MB
constexpr double factorization_cost = 0.15;  // of one multiplication in it, relative to one in a sweep

}  // namespace

GapParts gram_gap_parts(const GramSystem& system, const std::vector<Index>& columns,
                        const GroupPenalty& penalty) {
  GapParts parts;
  double with_cross = 0.0, with_slope = 0.0;
  for (const Index k : columns) {
    parts.largest = std::max(
        parts.largest, dual_size(system.slope + k, system.coef + k, system.targets, system.stride, penalty));
    const double size = group_norm(system.coef + k, system.targets, system.stride);
    if (size == 0.0) continue;
    parts.norms += size;
    parts.squares += size * size;
    for (Index t = 0; t < system.targets; ++t) {
      const double w = system.coef[t * system.stride + k];
      with_cross += w * system.cross[t * system.stride + k];
      with_slope += w * system.slope[t * system.stride + k];
    }
  }
  // |R|^2 = |Y|^2 - <W, X'Y> - <W, X'R> and <R, Y> = |Y|^2 - <W, X'Y>
  parts.residual_target = system.target_squares - with_cross;
  parts.residual_squares = std::max(0.0, parts.residual_target - with_slope);
  return parts;
}

void GramDescent::run(GramSystem& system, std::vector<Index> columns, const GroupPenalty& penalty,
                      double wanted, Budget& budget, StopToken& stop) {
  if (columns.empty()) return;
  const double noise = machine * std::sqrt(system.target_squares);
  anderson_.reset();
  work_ = 0.0;
  block_.resize(static_cast<std::size_t>(system.targets));
  while (!budget.exhausted() && !stop.poll()) {
    if (random_ != nullptr) random_->shuffle(columns.begin(), columns.end());
    const double moved = sweep(system, columns, penalty);
    budget.visits += static_cast<std::int64_t>(columns.size());
    if (moved <= noise) return;
    if (gram_gap_parts(system, columns, penalty).gap(penalty) <= wanted) return;
    if (extrapolate(system, columns, penalty) &&
        gram_gap_parts(system, columns, penalty).gap(penalty) <= wanted) {
      return;
    }
    if (solve_support(system, columns, penalty)) {
      anderson_.reset();
      if (gram_gap_parts(system, columns, penalty).gap(penalty) <= wanted) return;
    }
  }
}

// Returns the largest change, measured as the length by which it moves the residual.
double GramDescent::sweep(GramSystem& system, const std::vector<Index>& columns,
                          const GroupPenalty& penalty) {
  double largest = 0.0;
  for (const Index k : columns) {
    const double* row = system.gram + k * system.stride;
    if (!(row[k] > 0.0)) continue;
    for (Index t = 0; t < system.targets; ++t) {
      block_[static_cast<std::size_t>(t)] =
          system.slope[t * system.stride + k] + row[k] * system.coef[t * system.stride + k];
    }
    shrink(block_.data(), system.targets, row[k] + penalty.l2, penalty);
    for (Index t = 0; t < system.targets; ++t) {
      double& w = system.coef[t * system.stride + k];
      const double change = block_[static_cast<std::size_t>(t)] - w;
      if (change == 0.0) continue;
      w = block_[static_cast<std::size_t>(t)];
      column_ops().add_d(-change, row, system.slope + t * system.stride, system.size);
      work_ += static_cast<double>(system.size);
      largest = std::max(largest, std::abs(change) * std::sqrt(row[k]));
    }
  }
  return largest;
}

bool GramDescent::extrapolate(GramSystem& system, const std::vector<Index>& columns,
                              const GroupPenalty& penalty) {
  const Index length = system.targets * system.stride;
  if (!anderson_.keep(system.coef, length, system.slope, length)) return false;
  trial_coef_.resize(static_cast<std::size_t>(length));
  trial_slope_.resize(static_cast<std::size_t>(length));
  if (!anderson_.extrapolate(trial_coef_.data(), trial_slope_.data())) return false;
  if (penalty.positive && *std::min_element(trial_coef_.begin(), trial_coef_.end()) < 0.0) return false;
  GramSystem trial = system;
  trial.coef = trial_coef_.data();
  trial.slope = trial_slope_.data();
  if (!(gram_gap_parts(trial, columns, penalty).primal(penalty) <
        gram_gap_parts(system, columns, penalty).primal(penalty))) {
    return false;
  }
  std::copy(trial_coef_.begin(), trial_coef_.end(), system.coef);
  std::copy(trial_slope_.begin(), trial_slope_.end(), system.slope);
  return true;
}

// Moves the coefficients that are not 0 to the minimum of P for their present signs, or to the point on the
// way where the first of them reaches 0. True when it moved.
bool GramDescent::solve_support(GramSystem& system, const std::vector<Index>& columns,
                                const GroupPenalty& penalty) {
  if (system.targets != 1) return false;
  std::vector<Index> support;
  for (const Index k : columns) {
    if (system.coef[k] != 0.0) support.push_back(k);
  }
  const auto size = static_cast<Index>(support.size());
  const double cost = factorization_cost * static_cast<double>(size) * static_cast<double>(size * size) / 3.0;
  if (size == 0 || size > largest_support || work_ < cost) return false;
  work_ = 0.0;
  matrix_.resize(static_cast<std::size_t>(size * size));
  right_.resize(static_cast<std::size_t>(size));
  for (Index a = 0; a < size; ++a) {
    const double* row = system.gram + support[static_cast<std::size_t>(a)] * system.stride;
    for (Index b = 0; b <= a; ++b)
      matrix_[static_cast<std::size_t>(a * size + b)] = row[support[static_cast<std::size_t>(b)]];
    matrix_[static_cast<std::size_t>(a * size + a)] += penalty.l2;
    const Index k = support[static_cast<std::size_t>(a)];
    right_[static_cast<std::size_t>(a)] =
        system.slope[k] - penalty.l2 * system.coef[k] - std::copysign(penalty.l1, system.coef[k]);
  }
  if (!factor_cholesky(matrix_.data(), size, least_pivot)) return false;
  solve_cholesky(matrix_.data(), size, right_.data());
  double reach = 1.0;
  Index stopped_by = -1;
  for (Index a = 0; a < size; ++a) {
    const double w = system.coef[support[static_cast<std::size_t>(a)]],
                 move = right_[static_cast<std::size_t>(a)];
    if (w * (w + reach * move) < 0.0) {
      reach = -w / move;
      stopped_by = a;
    }
  }
  for (Index a = 0; a < size; ++a) {
    const Index k = support[static_cast<std::size_t>(a)];
    const double before = system.coef[k];
    system.coef[k] = a == stopped_by ? 0.0 : before + reach * right_[static_cast<std::size_t>(a)];
    column_ops().add_d(before - system.coef[k], system.gram + k * system.stride, system.slope, system.size);
  }
  return true;
}

}  // namespace certus::linear
