#include "guarantees/betting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/rng.hpp"
#include "tests/check.hpp"

namespace certus {
namespace {

// The definition, one mean at a time: largest log capital, with s^2 from the rows before the bet only.
double largest_log_capital(const std::vector<double>& x, double mean, double log_level, double cap,
                           bool star) {
  const double n = static_cast<double>(x.size());
  double sum = 0.5, squares = 0.25, log_capital = 0.0, largest = 0.0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const double seen = static_cast<double>(t) + 1.0, variance = squares / seen;
    const double goal = star ? std::max(0.0, log_level - log_capital) / (n - seen + 1.0) : log_level / n;
    double bet = std::sqrt(2.0 * goal / variance);
    if (mean < 1.0) bet = std::min(bet, cap / (1.0 - mean));
    log_capital += std::log1p(-bet * (x[t] - mean));
    largest = std::max(largest, log_capital);
    sum += x[t];
    squares += (x[t] - sum / (seen + 1.0)) * (x[t] - sum / (seen + 1.0));
  }
  return largest;
}

std::vector<double> losses(std::uint64_t seed, std::size_t n) {
  Rng rng(seed);
  std::vector<double> x(n);
  for (double& value : x) value = rng.uniform() < 0.8 ? 0.0 : rng.uniform();
  return x;
}

}  // namespace

TEST(betting_upper_separates_rejected_from_accepted_means) {
  StopToken stop;
  const double log_level = std::log(20.0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto x = losses(seed, 10 + 17 * seed);
    double found = 0.0;
    betting_upper(View2D<const double>(x.data(), 1, static_cast<Index>(x.size())), log_level, 0.75,
                  {&found, 1}, 1, stop);
    if (found < 1.0) CHECK(largest_log_capital(x, found, log_level, 0.75, false) >= log_level);
    CHECK(largest_log_capital(x, found * (1.0 - 1e-6), log_level, 0.75, false) < log_level);
  }
}

TEST(star_upper_stops_at_the_first_mean_that_is_not_rejected) {
  StopToken stop;
  const double log_level = std::log(20.0);
  std::vector<double> grid(401);
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = 1.0 - static_cast<double>(i) / 400.0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto x = losses(seed, 10 + 17 * seed);
    double found = 0.0;
    star_upper(View2D<const double>(x.data(), 1, static_cast<Index>(x.size())), log_level, 0.95, grid,
               {&found, 1}, 1, stop);
    double expected = 1.0;
    for (const double mean : grid) {
      if (largest_log_capital(x, mean, log_level, 0.95, true) < log_level) break;
      expected = mean;
    }
    CHECK_EQUAL(found, expected);
  }
}

TEST(bounds_of_many_samples_do_not_depend_on_threads) {
  StopToken stop;
  const auto x = losses(3, 40 * 25);
  std::vector<double> one(40), two(40);
  betting_upper(View2D<const double>(x.data(), 40, 25), 3.0, 0.75, one, 1, stop);
  betting_upper(View2D<const double>(x.data(), 40, 25), 3.0, 0.75, two, 2, stop);
  CHECK(one == two);
}

TEST(seeded_order_is_a_permutation) {
  std::vector<std::int64_t> order(1000), expected(1000);
  seeded_order(5, order);
  CHECK(!std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(order == expected);
}

}  // namespace certus
