// Upper confidence bounds on the mean of losses in [0, 1] by betting against too large a mean.
//
// Null hypothesis H(m): the mean is at least m. A gambler who starts with 1 and multiplies the capital by
// 1 - lambda_t (x_t - m), with 0 <= lambda_t < 1/(1-m) chosen from the past only, has a capital whose
// expectation under H(m) never grows; so it ever reaches 1/delta with probability at most delta (Ville).
//
// betting_upper: lambda_t = min( sqrt(2 log(1/delta) / (n s^2_{t-1})), c/(1-m) )
//   (Waudby-Smith, Ramdas: Estimating means of bounded random variables by betting, 2023, eq. 24-26). Each
//   factor grows with m, also where the cap binds, so the rejected means form an interval and the search by
//   sections is exact; the end returned is a rejected one.
// star_upper: lambda_t = min( sqrt(2 max(0, log(1/delta) - log K_{t-1}) / ((n-t+1) s^2_{t-1})), c/(1-m) )
//   (Voracek, Orabona: STaR-Bets, 2025). The rejected means need not form an interval. So the means are
//   tested in the order of a grid that descends and was fixed without the losses, up to the first that is not
//   rejected. Rejecting m rejects every larger mean; the only test that can go wrong is the first grid point
//   at or below the true mean: the level is exactly kept.
//
// s^2_t = (1/4 + sum_{i<=t} (x_i - mu_i)^2)/(t+1), mu_t = (1/2 + sum_{i<=t} x_i)/(t+1).
//
// Each row of `samples` is one sample; the result is the same for any number of threads.
// Cost per sample: betting about 210 n, star about 500 n to 1000 n multiplications; workspace 2n per thread.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus {

// log_level = log(1/delta); a mean is rejected when the log capital reaches log_level + margin, where the
// margin covers the rounding of the capital.
void betting_upper(View2D<const double> samples, double log_level, double cap, std::span<double> out,
                   int threads, StopToken& stop);

// `grid` descends from at most 1 to at least 0. The result is the last mean that was rejected, or 1.
void star_upper(View2D<const double> samples, double log_level, double cap, std::span<const double> grid,
                std::span<double> out, int threads, StopToken& stop);

// The order of rows that belongs to a seed, the same on every platform.
void seeded_order(std::uint64_t seed, std::span<std::int64_t> out);

}  // namespace certus
