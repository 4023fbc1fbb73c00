// Dual coordinate descent for logistic regression with a ridge penalty (Yu, Huang, Lin 2011).
//
//   minimize  (strength/2) |w|^2 + sum_i s_i log(1 + exp(-y_i x_i.w)),   y_i = 1 or -1
//
// Every row has a multiplier 0 < a_i < s_i with w = sum_i y_i a_i x_i / strength. At the optimum
// y_i x_i.w + log(a_i / (s_i - a_i)) = 0 for every row; one row at a time is solved for it.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "linear/table_rows.hpp"

namespace certus::linear {

struct LogisticDescentRule {
  double strength = 1.0;
  double tol = 0.0;  // largest violation of the condition above in a pass, before its steps
  Index max_passes = 0;
  std::uint64_t seed = 0;
  std::uint64_t stage = 0;  // counts the calls that continue one descent
};

struct LogisticDescentResult {
  Index passes = 0;
  bool converged = false;
};

// Improves the multipliers (of weights s; rows of weight 0 keep 0) and w (cols + 1) in place; w must belong
// to them at the start. Signs are 1 or -1. The order of the rows is drawn from (seed, stage).
template <class Rows>
LogisticDescentResult logistic_descent(const Rows& x, std::span<const double> signs,
                                       std::span<const double> weights, const LogisticDescentRule& rule,
                                       StopToken& stop, std::span<double> multipliers, std::span<double> w);

}  // namespace certus::linear
