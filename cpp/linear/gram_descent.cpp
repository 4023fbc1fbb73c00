#include "linear/gram_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cholesky.hpp"
#include "core/vector_ops.hpp"

namespace certus::linear {
namespace {

constexpr double machine = 2.3e-16;
constexpr double least_pivot = 1e-11;    // below, the support counts as collinear and is not solved exactly
constexpr Index largest_support = 3000;  // of an exact solution: 72 MB
constexpr int steps_to_support = 20;     // until the signs of the solution agree with those it is solved for
constexpr double factorization_cost = 0.15;  // of one multiplication in it, relative to one in a sweep

}  // namespace

GapParts gram_gap_parts(const GramSystem& system, const std::vector<Index>& columns,
                        const BlockPenalty& penalty) {
  GapParts parts;
  double with_cross = 0.0, with_slope = 0.0;
  for (const Index k : columns) {
    parts.largest = std::max(
        parts.largest, dual_size(system.slope + k, system.coef + k, system.targets, system.stride, penalty));
    const double size = block_norm(system.coef + k, system.targets, system.stride);
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

void GramDescent::run(GramSystem& system, std::vector<Index> columns, const BlockPenalty& penalty,
                      double wanted, Budget& budget, StopToken& stop) {
  if (columns.empty()) return;
  const double noise = machine * std::sqrt(system.target_squares);
  anderson_.reset();
  work_ = 0.0;
  block_.resize(static_cast<std::size_t>(system.targets));
  for (bool first = true; !budget.exhausted() && !stop.poll(); first = false) {
    if (random_ != nullptr) random_->shuffle(columns.begin(), columns.end());
    const double moved = sweep(system, columns, penalty);
    budget.visits += static_cast<std::int64_t>(columns.size());
    if (moved <= noise) return;
    if (gram_gap_parts(system, columns, penalty).gap(penalty) <= wanted) return;
    if (first && budget.exhausted()) return;  // whoever allows one sweep gets one sweep
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
                          const BlockPenalty& penalty) {
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
      vector_ops().add_d(-change, row, system.slope + t * system.stride, system.size);
      work_ += static_cast<double>(system.size);
      largest = std::max(largest, std::abs(change) * std::sqrt(row[k]));
    }
  }
  return largest;
}

bool GramDescent::extrapolate(GramSystem& system, const std::vector<Index>& columns,
                              const BlockPenalty& penalty) {
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

// Solves exactly for the coefficients that are not 0, step by step as long as coefficients reach 0 on the
// way.
bool GramDescent::solve_support(GramSystem& system, const std::vector<Index>& columns,
                                const BlockPenalty& penalty) {
  if (system.targets != 1) return false;
  bool moved = false;
  for (int step = 0; step < steps_to_support; ++step) {
    std::vector<Index> support;
    for (const Index k : columns) {
      if (system.coef[k] != 0.0) support.push_back(k);
    }
    const auto size = static_cast<double>(support.size());
    const double cost = factorization_cost * size * size * size / 3.0;
    if (support.empty() || static_cast<Index>(support.size()) > largest_support || work_ < cost) return moved;
    work_ -= cost;
    moved = true;
    if (step_on_support(system, support, penalty)) break;
  }
  work_ = 0.0;
  return moved;
}

// One step on the support: to the minimum of P for the present signs, or along a direction in which P falls
// without the fit changing when the columns are linearly dependent; at most until a coefficient reaches 0.
// True when the minimum was reached.
bool GramDescent::step_on_support(GramSystem& system, const std::vector<Index>& support,
                                  const BlockPenalty& penalty) {
  const auto size = static_cast<Index>(support.size());
  matrix_.resize(static_cast<std::size_t>(size * size));
  right_.assign(static_cast<std::size_t>(size), 0.0);
  const auto at = [&](Index a) { return support[static_cast<std::size_t>(a)]; };
  for (Index a = 0; a < size; ++a) {
    const double* row = system.gram + at(a) * system.stride;
    double* to = matrix_.data() + a * size;
    for (Index b = 0; b <= a; ++b) to[b] = row[at(b)];
    to[a] += penalty.l2;
    right_[static_cast<std::size_t>(a)] =
        system.slope[at(a)] - penalty.l2 * system.coef[at(a)] - std::copysign(penalty.l1, system.coef[at(a)]);
  }
  StopToken unstopped;  // supports are small
  const Index independent = factor_cholesky(matrix_.data(), size, least_pivot, 1, unstopped);
  double reach = 1.0;
  if (independent == size) {
    solve_cholesky(matrix_.data(), size, right_.data());
  } else {  // column `independent` is a combination of the columns before it
    std::copy_n(matrix_.data() + independent * size, independent, right_.data());
    std::fill(right_.begin() + independent, right_.end(), 0.0);
    solve_upper(matrix_.data(), size, independent, right_.data());
    right_[static_cast<std::size_t>(independent)] = -1.0;
    double growth = 0.0;
    for (Index a = 0; a <= independent; ++a) {
      growth += std::copysign(1.0, system.coef[at(a)]) * right_[static_cast<std::size_t>(a)];
    }
    if (growth > 0.0) {
      for (double& move : right_) move = -move;
    }
    reach = std::numeric_limits<double>::infinity();
  }
  Index stopped_by = -1;
  for (Index a = 0; a < size; ++a) {
    const double w = system.coef[at(a)], move = right_[static_cast<std::size_t>(a)];
    if (w * move < 0.0 && -w / move < reach) {
      reach = -w / move;
      stopped_by = a;
    }
  }
  if (!std::isfinite(reach)) return true;
  for (Index a = 0; a < size; ++a) {
    const double before = system.coef[at(a)];
    system.coef[at(a)] = a == stopped_by ? 0.0 : before + reach * right_[static_cast<std::size_t>(a)];
    vector_ops().add_d(before - system.coef[at(a)], system.gram + at(a) * system.stride, system.slope,
                       system.size);
  }
  return stopped_by < 0;
}

}  // namespace certus::linear
