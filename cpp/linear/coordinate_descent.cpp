#include "linear/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/penalties.hpp"

namespace certus::linear {
namespace {

// Alternates full sweeps with sweeps over the moving coordinates. slope(j): derivative of the smooth part
// (without l2) at the current step; move(j, change): records that coordinate j moved.
template <class Slope, class Move>
Status sweep(std::span<const double> diagonal, std::span<const double> at, const ElasticNet& options,
             StopToken& stop, std::span<double> step, Slope&& slope, Move&& move) {
  Status status;
  const double enough = options.tol * static_cast<double>(step.size());
  std::vector<Index> all(step.size()), active;
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<Index>(j);

  const auto pass = [&](const std::vector<Index>& coordinates, std::vector<Index>* moving) {
    double total = 0.0;
    for (const Index j : coordinates) {
      const auto k = static_cast<std::size_t>(j);
      const bool penalized = j < options.penalized;
      const double l1 = penalized ? options.l1 : 0.0, l2 = penalized ? options.l2 : 0.0;
      const double bend = diagonal[k] + l2;
      if (bend <= 0.0) continue;
      const double old = at[k] + step[k];
      const double fresh = soft_threshold(bend * old - slope(j) - l2 * old, l1) / bend;
      const double change = fresh - old;
      if (change != 0.0) {
        step[k] += change;
        move(j, change);
        total += bend * change * change;
      }
      if (moving != nullptr && (fresh != 0.0 || change != 0.0)) moving->push_back(j);
    }
    ++status.iterations;
    return total;
  };

  while (status.iterations < options.max_sweeps) {
    active.clear();
    if (pass(all, &active) <= enough) return status;
    while (status.iterations < options.max_sweeps && pass(active, nullptr) > enough) {
      if (stop.poll()) {
        status.reason = StopReason::interrupted;
        return status;
      }
    }
    if (stop.poll()) {
      status.reason = StopReason::interrupted;
      return status;
    }
  }
  status.reason = StopReason::out_of_iterations;
  return status;
}

}  // namespace

Status descend_gram(View2D<const double> hessian, std::span<const double> gradient,
                    std::span<const double> at, const ElasticNet& options, StopToken& stop,
                    std::span<double> step) {
  const Index size = hessian.rows;
  std::vector<double> diagonal(step.size()), slopes(gradient.begin(), gradient.end());  // g + H step
  for (Index j = 0; j < size; ++j) {
    diagonal[static_cast<std::size_t>(j)] = hessian(j, j);
    const double moved = step[static_cast<std::size_t>(j)];
    if (moved == 0.0) continue;
    for (Index k = 0; k < size; ++k) slopes[static_cast<std::size_t>(k)] += moved * hessian(j, k);
  }
  return sweep(
      diagonal, at, options, stop, step, [&](Index j) { return slopes[static_cast<std::size_t>(j)]; },
      [&](Index j, double change) {
        const double* row = hessian.row(j);
        for (Index k = 0; k < size; ++k) slopes[static_cast<std::size_t>(k)] += change * row[k];
      });
}

template <class T, class I>
Status descend_columns(const SparseColumns<T, I>& columns, std::span<const double> curvature,
                       std::span<const double> diagonal, std::span<const double> gradient,
                       std::span<const double> at, const ElasticNet& options, StopToken& stop,
                       std::span<double> step, std::span<double> weighted) {
  const auto width = static_cast<Index>(columns.starts.size()) - 1;
  const auto add = [&](Index j, double change) {
    if (j == width) {
      for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] += change * curvature[i];
      return;
    }
    const auto k = static_cast<std::size_t>(j);
    for (auto e = static_cast<std::size_t>(columns.starts[k]);
         e < static_cast<std::size_t>(columns.starts[k + 1]); ++e) {
      const auto row = static_cast<std::size_t>(columns.rows[e]);
      weighted[row] += change * static_cast<double>(columns.values[e]) * curvature[row];
    }
  };
  std::fill(weighted.begin(), weighted.end(), 0.0);
  for (std::size_t j = 0; j < step.size(); ++j) {
    if (step[j] != 0.0) add(static_cast<Index>(j), step[j]);
  }
  return sweep(
      diagonal, at, options, stop, step,
      [&](Index j) {
        double sum = gradient[static_cast<std::size_t>(j)];
        if (j == width) {
          for (const double part : weighted) sum += part;
          return sum;
        }
        const auto k = static_cast<std::size_t>(j);
        for (auto e = static_cast<std::size_t>(columns.starts[k]);
             e < static_cast<std::size_t>(columns.starts[k + 1]); ++e) {
          sum += static_cast<double>(columns.values[e]) * weighted[static_cast<std::size_t>(columns.rows[e])];
        }
        return sum;
      },
      add);
}

#define CERTUS_INSTANTIATE(T, I)                                                                             \
  template Status descend_columns<T, I>(                                                                     \
      const SparseColumns<T, I>&, std::span<const double>, std::span<const double>, std::span<const double>, \
      std::span<const double>, const ElasticNet&, StopToken&, std::span<double>, std::span<double>);
CERTUS_INSTANTIATE(float, std::int32_t)
CERTUS_INSTANTIATE(float, std::int64_t)
CERTUS_INSTANTIATE(double, std::int32_t)
CERTUS_INSTANTIATE(double, std::int64_t)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
