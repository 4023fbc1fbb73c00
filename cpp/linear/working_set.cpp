#include "linear/working_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"

namespace certus::linear {
namespace {

constexpr Index columns_per_block = 64;
constexpr Index first_size = 100;  // columns of the first working set
constexpr Index sparse_share =
    50;  // of sparse columns: one in so many, sweeps over which cost little beside a look
constexpr double dense_from = 0.1;
constexpr Index largest_copy = 60'000'000;  // numbers in the copies of these columns
constexpr Index largest_gram = 6000;        // columns whose Gram matrix is kept
constexpr double exact_above = 0.97;        // dual sizes above this share of l1 are computed exactly
constexpr double share_of_gap = 0.1;        // of the whole gap that a working set is solved to
constexpr double share_of_wanted = 0.3;     // so that the whole gap passes when nothing was missed

}  // namespace

template <class Store>
void column_moments(const Store& store, std::span<const double> root, bool center, int threads,
                    StopToken& stop, std::span<double> mean, std::span<double> squares) {
  const double weight = vector_ops().dot_d(root.data(), root.data(), static_cast<Index>(root.size()));
  parallel_ranges(store.cols(), columns_per_block, threads, stop, [&](Index first, Index last, int) {
    for (Index j = first; j < last; ++j) {
      const auto k = static_cast<std::size_t>(j);
      mean[k] = center ? store.dot(j, root.data()) / weight : 0.0;
      squares[k] = store.centered_squares(j, mean[k], root, weight);
    }
  });
}

template <class Store>
void column_residual(const CenteredColumns<Store>& table, const Fit& fit, bool center) {
  const Index rows = table.rows();
  std::copy_n(fit.target, fit.targets * rows, fit.residual);
  for (Index t = 0; t < fit.targets; ++t) {
    double* residual = fit.residual + t * rows;
    double shift = 0.0;
    for (Index j = 0; j < table.cols(); ++j) {
      const double w = fit.coef[j * fit.targets + t];
      if (w == 0.0) continue;
      table.store.add(j, -w, residual);
      shift += w * table.mean[static_cast<std::size_t>(j)];
    }
    if (!center) continue;
    vector_ops().add_d(shift, table.root.data(), residual, rows);
    const double along = vector_ops().dot_d(residual, table.root.data(), rows) / table.weight;
    vector_ops().add_d(-along, table.root.data(), residual, rows);
  }
}

template <class Store>
void column_products(const CenteredColumns<Store>& table, View2D<const double> residual, int threads,
                     StopToken& stop, View2D<double> out) {
  parallel_ranges(table.cols(), columns_per_block, threads, stop, [&](Index first, Index last, int) {
    for (Index j = first; j < last; ++j) {
      for (Index t = 0; t < residual.rows; ++t) out(j, t) = table.store.dot(j, residual.row(t));
    }
  });
}

template <class Store>
WorkingSetPath<Store>::WorkingSetPath(const CenteredColumns<Store>& table, View2D<const double> target,
                                      bool center, const PathOptions& options, int threads, StopToken& stop)
    : table_(table),
      target_(target),
      center_(center),
      options_(options),
      threads_(threads),
      stop_(stop),
      random_(options.seed),
      gram_descent_(options.random ? &random_ : nullptr),
      column_descent_(table, options.random ? &random_ : nullptr),
      active_(table.rows(), table.cols()),
      coef_(static_cast<std::size_t>(table.cols() * target.rows)),
      residual_(static_cast<std::size_t>(target.rows * table.rows())),
      looked_at_(residual_.size()),
      slope_(coef_.size()),
      length_(static_cast<std::size_t>(table.cols())),
      bound_(length_.size()),
      seen_(length_.size(), -std::numeric_limits<double>::infinity()),
      in_working_(static_cast<std::size_t>(table.cols())),
      // Sparse columns are cheaper than rows of a Gram matrix, unless they are nearly full.
      gram_limit_(table.store.density() < dense_from
                      ? 0
                      : std::min(largest_gram, largest_copy / std::max<Index>(table.rows(), 1))),
      least_size_(gram_limit_ > 0 ? first_size : std::max(first_size, table.cols() / sparse_share)),
      target_squares_(vector_ops().dot_d(target.data, target.data, target.rows * target.cols)) {
  for (std::size_t j = 0; j < length_.size(); ++j) length_[j] = std::sqrt(table.squares[j]);
}

template <class Store>
void WorkingSetPath<Store>::run(const PathRecord& record) {
  std::copy_n(record.coefs.row(0), coef_.size(), coef_.begin());
  column_residual(table_, {target_.rows, target_.data, coef_.data(), residual_.data()}, center_);
  for (std::size_t point = 0; point < options_.l1.size(); ++point) {
    budget_ = {0, options_.max_sweeps * table_.cols()};
    solve(point, record);
    std::copy(coef_.begin(), coef_.end(), record.coefs.row(static_cast<Index>(point)));
    record.gaps[point] = gap_;
    record.objectives[point] = objective_;
    record.sweeps[point] = (budget_.visits + table_.cols() - 1) / std::max<Index>(table_.cols(), 1);
    if (stop_.poll()) return;
  }
}

template <class Store>
void WorkingSetPath<Store>::solve(std::size_t point, const PathRecord& record) {
  const BlockPenalty penalty{options_.l1[point], options_.l2[point], options_.positive};
  working_.clear();
  std::fill(in_working_.begin(), in_working_.end(), char{0});
  alive_.resize(static_cast<std::size_t>(table_.cols()));
  std::iota(alive_.begin(), alive_.end(), Index{0});
  // The sequential strong rule needs the slopes above 2 l1 - (l1 before).
  look(last_l1_ > penalty.l1 ? 2.0 * penalty.l1 - last_l1_ : 0.0, penalty);
  for (std::int64_t round = 0;; ++round) {
    const bool first = round == 0;
    const GapParts now = parts();
    gap_ = now.gap(penalty);
    objective_ = now.primal(penalty);
    record.note(round, objective_, gap_);
    if (gap_ <= options_.wanted || budget_.exhausted() || round == options_.max_rounds || stop_.poll()) break;
    screen(penalty, now.scale(penalty));
    const std::size_t before = working_.size();
    const std::vector<Index> added = choose(penalty, now.scale(penalty));
    const double close = options_.wanted * share_of_wanted;
    // A set that did not grow was not solved well enough; on a path the first set is nearly always the right
    // one.
    const bool final_set = added.size() == before || (first && last_l1_ > 0.0);
    const std::int64_t visited = budget_.visits;
    descend(added, penalty, final_set ? close : std::max(close, share_of_gap * gap_));
    if (budget_.visits == visited) break;
    const double last = gap_;
    look(exact_above * penalty.l1, penalty);
    const double reached = parts().gap(penalty);
    if (!first && added.size() == before && reached >= 0.999 * last) {  // machine precision
      gap_ = reached;
      break;
    }
  }
  last_l1_ = penalty.l1;
}

// Brings the residual up to date, and the slopes of those columns whose dual size can reach `least`: a slope
// that was right when the residual had moved by `seen_` is off by at most its column's length times the
// movement since. Leaves an upper bound on every dual size, exact where the slope is up to date.
template <class Store>
void WorkingSetPath<Store>::look(double least, const BlockPenalty& penalty) {
  const Index targets = target_.rows;
  column_residual(table_, {targets, target_.data, coef_.data(), residual_.data()}, center_);
  // Against the residual of the last look: descent on columns has moved residual_ itself in between.
  double squares = 0.0;
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    const double change = residual_[i] - looked_at_[i];
    squares += change * change;
    looked_at_[i] = residual_[i];
  }
  moved_ += std::sqrt(squares) * (1.0 + 1e-12);
  parallel_ranges(static_cast<Index>(alive_.size()), columns_per_block, threads_, stop_,
                  [&](Index first, Index last, int) {
                    for (Index at = first; at < last; ++at) {
                      const Index j = alive_[static_cast<std::size_t>(at)];
                      const auto k = static_cast<std::size_t>(j);
                      double* slope = slope_.data() + j * targets;
                      const double* coef = coef_.data() + j * targets;
                      const double drift = length_[k] * (moved_ - seen_[k]) * (1.0 + 1e-12);
                      bound_[k] = dual_size(slope, coef, targets, 1, penalty) + drift;
                      if (!in_working_[k] && !is_active(j) && bound_[k] < least) continue;
                      for (Index t = 0; t < targets; ++t) {
                        slope[t] = table_.store.dot(j, residual_.data() + t * table_.rows());
                      }
                      seen_[k] = moved_;
                      bound_[k] = dual_size(slope, coef, targets, 1, penalty);
                    }
                  });
}

template <class Store>
bool WorkingSetPath<Store>::is_active(Index column) const {
  const Index targets = target_.rows;
  return block_norm(coef_.data() + column * targets, targets, 1) != 0.0;
}

template <class Store>
GapParts WorkingSetPath<Store>::parts() const {
  GapParts result;
  const Index targets = target_.rows, all = static_cast<Index>(residual_.size());
  for (const Index j : alive_) {
    result.largest = std::max(result.largest, bound_[static_cast<std::size_t>(j)]);
    const double size = block_norm(coef_.data() + j * targets, targets, 1);
    result.norms += size;
    result.squares += size * size;
  }
  result.residual_squares = vector_ops().dot_d(residual_.data(), residual_.data(), all);
  result.residual_target = vector_ops().dot_d(residual_.data(), target_.data, all);
  return result;
}

// A column is 0 at the optimum if its dual size stays below l1 all over the sphere of radius sqrt(2 gap)
// around the dual point (the dual objective is strongly concave with constant 1).
template <class Store>
void WorkingSetPath<Store>::screen(const BlockPenalty& penalty, double scale) {
  const double radius = std::sqrt(2.0 * std::max(gap_, 0.0));
  std::erase_if(alive_, [&](Index j) {
    const auto k = static_cast<std::size_t>(j);
    if (in_working_[k] || is_active(j)) return false;
    const double length = penalty.l2 > 0.0 ? std::sqrt(table_.squares[k] + penalty.l2) : length_[k];
    return scale * bound_[k] + length * radius < penalty.l1 * (1.0 - 1e-12);
  });
}

// The next working set: what is in it or not 0, and the most promising others. On a path these are the
// columns that the sequential strong rule (Tibshirani et al. 2012) does not discard.
template <class Store>
std::vector<Index> WorkingSetPath<Store>::choose(const BlockPenalty& penalty, double scale) {
  const bool first = working_.empty();
  std::vector<std::pair<double, Index>> others;
  const double threshold = !first ? penalty.l1 : last_l1_ > penalty.l1 ? 2.0 * penalty.l1 - last_l1_ : 0.0;
  for (const Index j : alive_) {
    if (in_working_[static_cast<std::size_t>(j)] || !(length_[static_cast<std::size_t>(j)] > 0.0)) continue;
    if (is_active(j)) {
      in_working_[static_cast<std::size_t>(j)] = 1;
      working_.push_back(j);
      continue;
    }
    const double size = bound_[static_cast<std::size_t>(j)];
    if (size < threshold) continue;
    others.emplace_back((penalty.l1 - scale * size) / length_[static_cast<std::size_t>(j)], j);
  }
  const auto room = std::max(static_cast<std::size_t>(least_size_), working_.size());
  if (others.size() > room) {
    std::nth_element(others.begin(), others.begin() + static_cast<Index>(room), others.end());
    others.resize(room);
  }
  for (const auto& [distance, j] : others) {
    in_working_[static_cast<std::size_t>(j)] = 1;
    working_.push_back(j);
  }
  std::sort(working_.begin(), working_.end());
  return working_;
}

template <class Store>
void WorkingSetPath<Store>::descend(const std::vector<Index>& columns, const BlockPenalty& penalty,
                                    double wanted) {
  if (static_cast<Index>(columns.size()) <= gram_limit_) {
    descend_on_gram(columns, penalty, wanted);
    return;
  }
  Fit fit{target_.rows, target_.data, coef_.data(), residual_.data()};
  column_descent_.run(fit, columns, penalty, wanted, budget_, stop_);
}

template <class Store>
void WorkingSetPath<Store>::descend_on_gram(const std::vector<Index>& columns, const BlockPenalty& penalty,
                                            double wanted) {
  if (active_.size() + static_cast<Index>(columns.size()) > gram_limit_) active_.clear();
  active_.include(table_, columns);
  const Index targets = target_.rows, size = active_.size(), stride = active_.stride();
  const auto length = static_cast<std::size_t>(targets * stride);
  gram_coef_.assign(length, 0.0);
  gram_slope_.assign(length, 0.0);
  gram_cross_.assign(length, 0.0);
  // A kept column outside the working set has coefficient 0, and what becomes of its slope does not matter.
  for (const Index j : columns) {
    const Index k = active_.slot(j);
    for (Index t = 0; t < targets; ++t) {
      const auto to = static_cast<std::size_t>(t * stride + k);
      gram_coef_[to] = coef_[static_cast<std::size_t>(j * targets + t)];
      gram_slope_[to] = slope_[static_cast<std::size_t>(j * targets + t)];
      gram_cross_[to] = vector_ops().dot_d(active_.values(k), target_.row(t), table_.rows());
    }
  }
  GramSystem system{
      active_.gram(),    size, stride, targets, target_squares_, gram_cross_.data(), gram_coef_.data(),
      gram_slope_.data()};
  std::vector<Index> slots;
  for (const Index j : columns) slots.push_back(active_.slot(j));
  gram_descent_.run(system, slots, penalty, wanted, budget_, stop_);
  for (const Index j : columns) {
    for (Index t = 0; t < targets; ++t) {
      coef_[static_cast<std::size_t>(j * targets + t)] =
          gram_coef_[static_cast<std::size_t>(t * stride + active_.slot(j))];
    }
  }
}

#define CERTUS_INSTANTIATE(Store)                                                                            \
  template void column_moments<Store>(const Store&, std::span<const double>, bool, int, StopToken&,          \
                                      std::span<double>, std::span<double>);                                 \
  template void column_residual<Store>(const CenteredColumns<Store>&, const Fit&, bool);                     \
  template void column_products<Store>(const CenteredColumns<Store>&, View2D<const double>, int, StopToken&, \
                                       View2D<double>);                                                      \
  template class WorkingSetPath<Store>;
using Sparse32f = CompressedColumns<float, std::int32_t>;
using Sparse64f = CompressedColumns<float, std::int64_t>;
using Sparse32d = CompressedColumns<double, std::int32_t>;
using Sparse64d = CompressedColumns<double, std::int64_t>;
CERTUS_INSTANTIATE(DenseColumns<float>)
CERTUS_INSTANTIATE(DenseColumns<double>)
CERTUS_INSTANTIATE(Sparse32f)
CERTUS_INSTANTIATE(Sparse64f)
CERTUS_INSTANTIATE(Sparse32d)
CERTUS_INSTANTIATE(Sparse64d)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
