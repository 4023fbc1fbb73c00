#include "kernels/gram_ops.hpp"
#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using Size = std::ptrdiff_t;

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
