// Capital of a gambler who bets that the mean is below m, for 16 candidate means at once; one version per
// instruction set (see core/isa.hpp).
#pragma once

#include <cstddef>

namespace certus {

inline constexpr std::ptrdiff_t capital_lanes = 16;

struct CapitalOps {
  // K_t(m) = prod_{i<=t} (1 - min(bet_i, cap(m)) (x_i - m)). reached[lane] = 1 if K_t ever is >= target, else
  // 0. A capital below 1e-250 counts as lost for good, which can only make the bound wider.
  void (*betting)(const double* x, const double* bets, std::ptrdiff_t n, const double* means,
                  const double* caps, double target, unsigned char* reached);
  // The same with bets that aim at the target: lambda_t = min(cap(m), sqrt(aim_t max(0, log_target - log
  // K))).
  void (*star)(const double* x, const double* aim, std::ptrdiff_t n, const double* means, const double* caps,
               double log_target, unsigned char* reached);
};

const CapitalOps& capital_ops() noexcept;

}  // namespace certus
