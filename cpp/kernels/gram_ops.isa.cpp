#include "kernels/gram_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

using Size = std::ptrdiff_t;

// exp(x) for x <= 0, to about one unit in the last place: x = k ln 2 + r with |r| <= ln 2 / 2, the Taylor
// polynomial of degree 12 in r, and k added to the exponent bits. Below the clamp the result is as good as 0.
inline double exp_of(double x) {
  constexpr double shift = 0x1.8p52;  // adding it leaves the nearest whole number in the low bits
  const double bounded = x < -707.0 ? -707.0 : x;
  const double shifted = bounded * 0x1.71547652b82fep0 + shift;
  const double k = shifted - shift;
  const double r = (bounded - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b39p-40;
  double sum = 1.0 / 479001600.0;
  constexpr double coefficients[] = {
      1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
      1.0 / 120.0,      1.0 / 24.0,      1.0 / 6.0,      0.5,           1.0,          1.0};
  for (const double coefficient : coefficients) sum = sum * r + coefficient;
  const auto bits =
      __builtin_bit_cast(unsigned long long, sum) + (__builtin_bit_cast(unsigned long long, shifted) << 52);
  return __builtin_bit_cast(double, bits);
}

void gaussian(double* line, const double* norms, double norm, Size n) {
  for (Size j = 0; j < n; ++j) {
    const double exponent = line[j] - (norm + norms[j]);
    line[j] = exp_of(exponent > 0.0 ? 0.0 : exponent);
  }
}

void fill(double* line, double value, Size n) {
  for (Size j = 0; j < n; ++j) line[j] = value;
}

void laplacian(double* line, const double* x, const double* columns, Size stride, Size width, Size n,
               double gamma) {
  fill(line, 0.0, n);
  for (Size k = 0; k < width; ++k) {
    const double* z = columns + k * stride;
    for (Size j = 0; j < n; ++j) line[j] += __builtin_fabs(x[k] - z[j]);
  }
  for (Size j = 0; j < n; ++j) line[j] = exp_of(-gamma * line[j]);
}

void squared_distance(double* line, const double* x, const double* columns, Size stride, Size width, Size n) {
  fill(line, 0.0, n);
  for (Size k = 0; k < width; ++k) {
    const double* z = columns + k * stride;
    for (Size j = 0; j < n; ++j) line[j] += (x[k] - z[j]) * (x[k] - z[j]);
  }
}

void all_subsets(double* line, const double* x, const double* columns, Size stride, Size width, Size n) {
  fill(line, 1.0, n);
  for (Size k = 0; k < width; ++k) {
    const double* z = columns + k * stride;
    for (Size j = 0; j < n; ++j) line[j] *= 1.0 + x[k] * z[j];
  }
}

// Level s holds the sum over subsets of s of the coordinates seen so far.
void anova(double* line, const double* x, const double* columns, Size stride, Size width, Size n, int degree,
           double* levels) {
  fill(levels, 1.0, n);
  fill(levels + n, 0.0, n * degree);
  for (Size k = 0; k < width; ++k) {
    const double* z = columns + k * stride;
    for (int s = degree; s >= 1; --s) {
      double* level = levels + s * n;
      const double* below = levels + (s - 1) * n;
      for (Size j = 0; j < n; ++j) level[j] += x[k] * z[j] * below[j];
    }
  }
  for (Size j = 0; j < n; ++j) line[j] = levels[degree * n + j];
}

void minimum(double* line, const double* x, const double* columns, Size stride, Size width, Size n) {
  fill(line, 0.0, n);
  for (Size k = 0; k < width; ++k) {
    const double* z = columns + k * stride;
    for (Size j = 0; j < n; ++j) line[j] += x[k] < z[j] ? x[k] : z[j];
  }
}

void spline(double* line, const double* x, const double* columns, Size stride, Size width, Size n) {
  fill(line, 1.0, n);
  for (Size k = 0; k < width; ++k) {
    const double* z = columns + k * stride;
    for (Size j = 0; j < n; ++j) {
      const double least = x[k] < z[j] ? x[k] : z[j];
      const double distance = __builtin_fabs(x[k] - z[j]);
      line[j] *= 1.0 + x[k] * z[j] + least * least * (0.5 * distance + least / 3.0);
    }
  }
}

}  // namespace

extern const kernels::GramOps gram_ops_table;
const kernels::GramOps gram_ops_table = {gaussian, laplacian, squared_distance, all_subsets, anova,
                                         minimum,  spline};

}  // namespace certus::CERTUS_ISA
