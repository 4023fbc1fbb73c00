#include "neighbors/density_ops.hpp"

#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using neighbors::density_group;
using neighbors::DensityKernel;
using Size = std::ptrdiff_t;

void squares(const double* x, const double* query, const double* inverse, Size columns, double* out) {
  for (Size r = 0; r < density_group; ++r) out[r] = 0.0;
  for (Size j = 0; j < columns; ++j) {
    const double* from = x + j * density_group;
    const double at = query[j], unit = inverse[j];
    for (Size r = 0; r < density_group; ++r) {
      const double away = (from[r] - at) * unit;
      out[r] += away * away;
    }
  }
}

void box_squares(const double* low, const double* high, const double* query, const double* inverse,
                 Size columns, Size count, double* nearest, double* farthest) {
  for (Size g = 0; g < count; ++g) nearest[g] = farthest[g] = 0.0;
  for (Size j = 0; j < columns; ++j) {
    const double* from = low + j * count;
    const double* to = high + j * count;
    const double at = query[j], unit = inverse[j];
    for (Size g = 0; g < count; ++g) {
      const double below = (from[g] - at) * unit, above = (at - to[g]) * unit;
      const double outside = below > above ? below : above, inside = below < above ? below : above;
      const double gap = outside > 0.0 ? outside : 0.0;
      nearest[g] += gap * gap;
      farthest[g] += inside * inside;  // the far end is |min(low - at, at - high)| away
    }
  }
}

// cos(pi/2 d) for 0 <= d <= 1: the Taylor series in the square, to the last place.
inline double quarter_cosine(double square) {
  const double t = square * 2.4674011002723395;  // (pi / 2)^2
  constexpr double factors[] = {-1.0 / 462.0, -1.0 / 380.0, -1.0 / 306.0, -1.0 / 240.0,
                                -1.0 / 182.0, -1.0 / 132.0, -1.0 / 90.0,  -1.0 / 56.0,
                                -1.0 / 30.0,  -1.0 / 12.0,  -1.0 / 2.0};
  double sum = 1.0;
  for (const double factor : factors) sum = 1.0 + sum * (t * factor);
  return sum > 0.0 ? sum : 0.0;
}

inline double decay(double log_value) { return exp_of(log_value < 0.0 ? log_value : 0.0); }

void values(DensityKernel kernel, double shift, double* at, Size count) {
  switch (kernel) {
    case DensityKernel::gaussian:
      for (Size i = 0; i < count; ++i) at[i] = decay(-0.5 * at[i] - shift);
      return;
    case DensityKernel::exponential:
      for (Size i = 0; i < count; ++i) at[i] = decay(-__builtin_sqrt(at[i]) - shift);
      return;
    case DensityKernel::tophat:
      for (Size i = 0; i < count; ++i) at[i] = at[i] < 1.0 ? 1.0 : 0.0;
      return;
    case DensityKernel::epanechnikov:
      for (Size i = 0; i < count; ++i) at[i] = at[i] < 1.0 ? 1.0 - at[i] : 0.0;
      return;
    case DensityKernel::linear:
      for (Size i = 0; i < count; ++i) at[i] = at[i] < 1.0 ? 1.0 - __builtin_sqrt(at[i]) : 0.0;
      return;
    case DensityKernel::cosine:
      for (Size i = 0; i < count; ++i) {
        const double inside = at[i] < 1.0 ? at[i] : 1.0;
        at[i] = at[i] < 1.0 ? quarter_cosine(inside) : 0.0;
      }
  }
}

double weighted_sum(const double* of, const double* weights) {
  constexpr Size lanes = 16;
  double sums[lanes] = {};
  for (Size r = 0; r < density_group; r += lanes) {
    for (Size lane = 0; lane < lanes; ++lane) sums[lane] += of[r + lane] * weights[r + lane];
  }
  for (Size half = lanes / 2; half > 0; half /= 2) {
    for (Size lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

}  // namespace

extern const DensityOps density_ops_table;
const DensityOps density_ops_table = {squares, box_squares, values, weighted_sum};

}  // namespace certus::CERTUS_ISA
