#include "guarantees/betting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "core/rng.hpp"
#include "guarantees/capital.hpp"

namespace certus {
namespace {

constexpr auto lanes = static_cast<std::size_t>(capital_lanes);

// A factor has a relative error of a few units in the last place; so has each logarithm.
double rounding_margin(std::size_t n) { return 1e-10 + 8.0 * std::numeric_limits<double>::epsilon() * n; }

double cap_for(double mean, double cap) {
  return mean < 1.0 ? cap / (1.0 - mean) : std::numeric_limits<double>::max();
}

// out[t] = numerator(t) / s^2_{t-1}, from the rows before t only.
template <class Numerator>
void over_past_variance(std::span<const double> x, Numerator numerator, std::span<double> out) {
  double sum = 0.5, squares = 0.25;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const double seen = static_cast<double>(t) + 1.0;
    out[t] = numerator(t) * seen / squares;
    sum += x[t];
    const double deviation = x[t] - sum / (seen + 1.0);
    squares += deviation * deviation;
  }
}

double betting_upper_of(std::span<const double> x, std::span<const double> bets, double log_target,
                        double cap, StopToken& stop) {
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  const double target = std::exp(log_target);
  double means[lanes], caps[lanes];
  unsigned char reached[lanes];
  const auto try_means = [&] {
    for (std::size_t l = 0; l < lanes; ++l) caps[l] = cap_for(means[l], cap);
    capital_ops().betting(x.data(), bets.data(), n, means, caps, target, reached);
  };
  std::fill_n(means, lanes, 1.0);
  try_means();
  if (!reached[0]) return 1.0;
  double accepted = 0.0, rejected = 1.0;
  while (rejected - accepted > 4.0 * std::numeric_limits<double>::epsilon() * rejected && !stop.poll()) {
    const double width = (rejected - accepted) / (lanes + 1);
    for (std::size_t l = 0; l < lanes; ++l) means[l] = accepted + width * static_cast<double>(l + 1);
    try_means();
    std::size_t first = lanes;  // lanes from here on are all rejected
    while (first > 0 && reached[first - 1]) --first;
    const double next_accepted = first > 0 ? means[first - 1] : accepted;
    const double next_rejected = first < lanes ? means[first] : rejected;
    if (next_accepted <= accepted && next_rejected >= rejected) break;
    accepted = next_accepted;
    rejected = next_rejected;
  }
  return rejected;
}

double star_upper_of(std::span<const double> x, std::span<const double> aim, double log_target, double cap,
                     std::span<const double> grid, StopToken& stop) {
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  double means[lanes], caps[lanes];
  unsigned char reached[lanes];
  double last_rejected = 1.0;
  for (std::size_t first = 0; first < grid.size() && !stop.poll(); first += lanes) {
    const std::size_t count = std::min(lanes, grid.size() - first);
    for (std::size_t l = 0; l < lanes; ++l) {
      means[l] = grid[first + std::min(l, count - 1)];
      caps[l] = cap_for(means[l], cap);
    }
    capital_ops().star(x.data(), aim.data(), n, means, caps, log_target, reached);
    for (std::size_t l = 0; l < count; ++l) {
      if (!reached[l]) return last_rejected;
      last_rejected = means[l];
    }
  }
  return last_rejected;
}

}  // namespace

void betting_upper(View2D<const double> samples, double log_level, double cap, std::span<double> out,
                   int threads, StopToken& stop) {
  const auto n = static_cast<std::size_t>(samples.cols);
  parallel_for(samples.rows, threads, stop, [&](Index row, int) {
    const std::span<const double> x(samples.row(row), n);
    std::vector<double> bets(n);
    over_past_variance(x, [&](std::size_t) { return 2.0 * log_level / static_cast<double>(n); }, bets);
    for (double& bet : bets) bet = std::sqrt(bet);
    out[static_cast<std::size_t>(row)] = betting_upper_of(x, bets, log_level + rounding_margin(n), cap, stop);
  });
}

void star_upper(View2D<const double> samples, double log_level, double cap, std::span<const double> grid,
                std::span<double> out, int threads, StopToken& stop) {
  const auto n = static_cast<std::size_t>(samples.cols);
  parallel_for(samples.rows, threads, stop, [&](Index row, int) {
    const std::span<const double> x(samples.row(row), n);
    std::vector<double> aim(n);
    over_past_variance(x, [&](std::size_t t) { return 2.0 / static_cast<double>(n - t); }, aim);
    out[static_cast<std::size_t>(row)] =
        star_upper_of(x, aim, log_level + rounding_margin(n), cap, grid, stop);
  });
}

void seeded_order(std::uint64_t seed, std::span<std::int64_t> out) {
  std::iota(out.begin(), out.end(), std::int64_t{0});
  Rng(seed).shuffle(out.begin(), out.end());
}

}  // namespace certus
