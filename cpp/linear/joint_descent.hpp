// The joint multiclass machine of Crammer and Singer (2001) by sequential dual descent (Keerthi et al. 2008):
//
//   minimize over W   sum_m |w_m|^2 / 2 + sum_i C_i max_m (w_m'x_i - w_{y_i}'x_i + [m != y_i])
//
// Dual: a_im <= C_i [m = y_i], sum_m a_im = 0, w_m = sum_i a_im x_i; one row's block is solved exactly at a
// time.
#pragma once

#include <cstdint>

#include "core/stop.hpp"
#include "linear/dual_descent.hpp"
#include "linear/table_rows.hpp"

namespace certus::linear {

struct JointResult {
  Index passes = 0;
  bool converged = false;
  double objective = 0.0, gap = 0.0;  // measured where the rule was not met
};

// a (rows x classes) and w (classes x (cols + 1)) are improved in place, w = a'X at the start. Violations up
// to rule.tol are allowed; a call with a later stage continues.
template <class Rows>
JointResult joint_descent(const Rows& x, std::span<const std::int64_t> labels, std::span<const double> costs,
                          const DescentRule& rule, StopToken& stop, View2D<double> a, View2D<double> w);

}  // namespace certus::linear
