// The one quadratic problem behind all support vector machines:
//
//   min_a  1/2 sum_tu a_t a_u s_t s_u k(row t, row u) + sum_t p_t a_t     subject to  0 <= a_t <= upper_t and
// clang-format off
//   Bias::one   sum_t s_t a_t stays as it is                                        (C-SVC, epsilon-SVR, one-class)
//   Bias::two   the sums of a_t with s_t = +1 and with s_t = -1 stay as they are    (nu-SVC, nu-SVR)
//   Bias::none  nothing more                                                        (machines without intercept)
// clang-format on
//
// There is one variable per row, or two (regression): variable t belongs to row t mod rows. With
// F_i = sum_t s_t a_t k(i, row t) and v_t = -s_t p_t - F_(row t), a solution is optimal when within each
// constraint no variable that may move up (s_t a_t may grow) has a larger v than one that may move down.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/status.hpp"
#include "core/view2d.hpp"

namespace certus::svm {

enum class Bias : int { none = 0, one = 1, two = 2 };

struct Problem {
  Index rows = 0;
  Bias bias = Bias::one;
  std::span<const std::int8_t> sign;  // s, one per variable
  std::span<const double> linear;     // p
  std::span<const double> upper;

  Index variables() const { return static_cast<Index>(sign.size()); }
  Index copies() const { return rows == 0 ? 0 : variables() / rows; }
};

struct SolverOptions {
  double tolerance = 1e-3;      // on the largest difference of v described above
  double fine_tolerance = 0.0;  // if smaller: what a few more steps aim at once `tolerance` is reached
  std::int64_t max_steps = -1;  // pair steps; negative: a generous limit against running forever
  double cache_bytes = 200e6;
  bool shrinking = true;      // whether rows that are settled are set aside in between
  Index whole_problem = 768;  // up to this many rows are one block
};

struct Solution {
  std::span<double> alpha;        // in: a feasible start; out: the solution
  std::span<double> scores;       // F, one per row
  bool scores_given = false;      // whether they belong to `alpha` on entry
  double center[2] = {0.0, 0.0};  // v where it is pinned down: by sign group for Bias::two, else both equal
  double violation = std::numeric_limits<double>::infinity();
  Status status;
};

// Whether s_t a_t may grow (fall).
inline bool may_rise(int sign, double alpha, double upper) { return sign > 0 ? alpha < upper : alpha > 0.0; }
inline bool may_fall(int sign, double alpha, double upper) { return sign > 0 ? alpha > 0.0 : alpha < upper; }

}  // namespace certus::svm
