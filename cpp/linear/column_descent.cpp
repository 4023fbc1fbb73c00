#include "linear/column_descent.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace certus::linear {
namespace {

constexpr double machine = 2.3e-16;
constexpr int sweeps_per_check = 5;  // a gap costs as much as a sweep

}  // namespace

template <class Store>
void ColumnDescent<Store>::run(Fit& fit, std::vector<Index> columns, const BlockPenalty& penalty,
                               double wanted, Budget& budget, StopToken& stop) {
  if (columns.empty()) return;
  const Index all = fit.targets * table_.rows();
  const double noise = machine * std::sqrt(vector_ops().dot_d(fit.target, fit.target, all));
  anderson_.reset();
  shift_.assign(static_cast<std::size_t>(fit.targets), 0.0);
  block_.resize(static_cast<std::size_t>(fit.targets));
  for (std::int64_t sweeps = 1; !budget.exhausted() && !stop.poll(); ++sweeps) {
    if (random_ != nullptr) random_->shuffle(columns.begin(), columns.end());
    const double moved = sweep(fit, columns, penalty);
    budget.visits += static_cast<std::int64_t>(columns.size());
    if (moved <= noise) break;
    extrapolate(fit, columns, penalty);
    if (sweeps % sweeps_per_check == 0 && gap(fit, columns, penalty) <= wanted) break;
  }
  flush(fit);
}

// x_j'(true residual): the column's product with root is weight times its mean.
template <class Store>
double ColumnDescent<Store>::slope(const Fit& fit, Index column, Index target) const {
  return table_.store.dot(column, fit.residual + target * table_.rows()) +
         shift_[static_cast<std::size_t>(target)] * table_.weight *
             table_.mean[static_cast<std::size_t>(column)];
}

template <class Store>
double ColumnDescent<Store>::sweep(Fit& fit, const std::vector<Index>& columns, const BlockPenalty& penalty) {
  double largest = 0.0;
  for (const Index j : columns) {
    const double squares = table_.squares[static_cast<std::size_t>(j)];
    if (!(squares > 0.0)) continue;
    double* w = fit.coef + j * fit.targets;
    for (Index t = 0; t < fit.targets; ++t) {
      block_[static_cast<std::size_t>(t)] = slope(fit, j, t) + squares * w[t];
    }
    shrink(block_.data(), fit.targets, squares + penalty.l2, penalty);
    for (Index t = 0; t < fit.targets; ++t) {
      const double change = block_[static_cast<std::size_t>(t)] - w[t];
      if (change == 0.0) continue;
      w[t] = block_[static_cast<std::size_t>(t)];
      table_.store.add(j, -change, fit.residual + t * table_.rows());
      shift_[static_cast<std::size_t>(t)] += change * table_.mean[static_cast<std::size_t>(j)];
      largest = std::max(largest, std::abs(change) * std::sqrt(squares));
    }
  }
  return largest;
}

template <class Store>
void ColumnDescent<Store>::extrapolate(Fit& fit, const std::vector<Index>& columns,
                                       const BlockPenalty& penalty) {
  flush(fit);
  const auto width = static_cast<std::size_t>(fit.targets);
  moving_.resize(columns.size() * width);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    std::copy_n(fit.coef + columns[k] * fit.targets, width, moving_.data() + k * width);
  }
  const Index rows = fit.targets * table_.rows();
  if (!anderson_.keep(moving_.data(), static_cast<Index>(moving_.size()), fit.residual, rows)) return;
  const double before = primal(fit, columns, penalty);
  const std::vector<double> kept = moving_;
  trial_.resize(static_cast<std::size_t>(rows));
  if (random_ != nullptr || !anderson_.extrapolate(moving_.data(), trial_.data())) return;
  if (penalty.positive && *std::min_element(moving_.begin(), moving_.end()) < 0.0) return;
  const auto write = [&](const std::vector<double>& values) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      std::copy_n(values.data() + k * width, width, fit.coef + columns[k] * fit.targets);
    }
  };
  Fit trial = fit;
  trial.residual = trial_.data();
  write(moving_);
  if (primal(trial, columns, penalty) < before) {
    std::copy(trial_.begin(), trial_.end(), fit.residual);
  } else {
    write(kept);
  }
}

template <class Store>
double ColumnDescent<Store>::primal(const Fit& fit, const std::vector<Index>& columns,
                                    const BlockPenalty& penalty) const {
  GapParts parts;
  for (const Index j : columns) {
    const double size = block_norm(fit.coef + j * fit.targets, fit.targets, 1);
    parts.norms += size;
    parts.squares += size * size;
  }
  parts.residual_squares = vector_ops().dot_d(fit.residual, fit.residual, fit.targets * table_.rows());
  return parts.primal(penalty);
}

template <class Store>
double ColumnDescent<Store>::gap(const Fit& fit, const std::vector<Index>& columns,
                                 const BlockPenalty& penalty) const {
  GapParts parts;
  std::vector<double> slopes(static_cast<std::size_t>(fit.targets));
  for (const Index j : columns) {
    const double* w = fit.coef + j * fit.targets;
    for (Index t = 0; t < fit.targets; ++t) slopes[static_cast<std::size_t>(t)] = slope(fit, j, t);
    parts.largest = std::max(parts.largest, dual_size(slopes.data(), w, fit.targets, 1, penalty));
    const double size = block_norm(w, fit.targets, 1);
    parts.norms += size;
    parts.squares += size * size;
  }
  const Index all = fit.targets * table_.rows();
  parts.residual_squares = vector_ops().dot_d(fit.residual, fit.residual, all);
  parts.residual_target = vector_ops().dot_d(fit.residual, fit.target, all);
  return parts.gap(penalty);
}

template <class Store>
void ColumnDescent<Store>::flush(Fit& fit) {
  for (Index t = 0; t < fit.targets; ++t) {
    double& shift = shift_[static_cast<std::size_t>(t)];
    if (shift != 0.0) {
      vector_ops().add_d(shift, table_.root.data(), fit.residual + t * table_.rows(), table_.rows());
    }
    shift = 0.0;
  }
}

template class ColumnDescent<DenseColumns<float>>;
template class ColumnDescent<DenseColumns<double>>;
template class ColumnDescent<CompressedColumns<float, std::int32_t>>;
template class ColumnDescent<CompressedColumns<float, std::int64_t>>;
template class ColumnDescent<CompressedColumns<double, std::int32_t>>;
template class ColumnDescent<CompressedColumns<double, std::int64_t>>;

}  // namespace certus::linear
