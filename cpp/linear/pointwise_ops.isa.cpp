#include "linear/pointwise_ops.hpp"

#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using Size = std::ptrdiff_t;
constexpr Size group = 64;

// log(1 + x) for x in [0, 1] = 2 artanh(x / (2 + x)), whose series loses no digits of small x; the first term
// left out is below 2e-18 of the sum.
inline double log_of_one_and(double x) {
  const double z = x / (2.0 + x), square = z * z;
  double sum = 1.0 / 33.0;
  constexpr double coefficients[] = {1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21,
                                     1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                                     1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  for (const double coefficient : coefficients) sum = sum * square + coefficient;
  return 2.0 * z * sum;
}

// Formulas of `Logistic` in core/losses.hpp; factors of the rows in `weight`.
inline double logistic_group(const double* y, const double* weight, Size rows, double* scores,
                             double* curvature) {
  double value[group] = {}, bend[group];
  for (Size i = 0; i < rows; ++i) {
    const double f = scores[i];
    const double decay = exp_of(f < 0.0 ? f : -f);
    const double likely = 1.0 / (1.0 + decay);
    const double smaller = decay * likely;
    value[i] = weight[i] * ((f > 0.0 ? f : 0.0) - y[i] * f + log_of_one_and(decay));
    const double above = (1.0 - y[i]) - smaller, below = smaller - y[i];
    scores[i] = weight[i] * (f >= 0.0 ? above : below);
    bend[i] = weight[i] * (smaller * likely);
  }
  if (curvature != nullptr) {
    for (Size i = 0; i < rows; ++i) curvature[i] = bend[i];
  }
  double parts[8] = {};
  for (Size i = 0; i < group; i += 8) {
    for (Size lane = 0; lane < 8; ++lane) parts[lane] += value[i + lane];
  }
  return ((parts[0] + parts[4]) + (parts[2] + parts[6])) + ((parts[1] + parts[5]) + (parts[3] + parts[7]));
}

double logistic(const double* y, const double* weights, Size rows, double* scores, double* curvature) {
  double ones[group];
  for (double& one : ones) one = 1.0;
  double sum = 0.0;
  for (Size first = 0; first < rows; first += group) {
    const Size count = rows - first < group ? rows - first : group;
    sum += logistic_group(y + first, weights == nullptr ? ones : weights + first, count, scores + first,
                          curvature == nullptr ? nullptr : curvature + first);
  }
  return sum;
}

}  // namespace

extern const linear::PointwiseOps pointwise_ops_table;
const linear::PointwiseOps pointwise_ops_table = {logistic};

}  // namespace certus::CERTUS_ISA
