// Inner loops of the adaptive gradient over one row, one version per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace certus {

// Coefficients of one problem with what the adaptive steps keep for each of them.
struct AdaptiveColumns {
  double* w;        // coefficients
  double* limit;    // radius / largest |x_j| so far
  double* squares;  // sum of squared gradients
  double* total;    // sum of gradients
};

struct AdaptiveStep {
  double slope;  // of the loss in the score
  double rate;   // eta / radius, times the unit
  double unit;   // of the scores: |w_j| <= unit limit_j
};

// With g_j = slope x_j:  squares_j += g_j^2,  w_j -= rate limit_j g_j / sqrt(squares_j), cut at unit limit_j.
struct AdaptiveOps {
  // Whether some |x_j| exceeds what its limit was made for.
  bool (*outgrown)(const double* x, const double* limit, double radius, std::ptrdiff_t n);
  void (*step)(const double* x, AdaptiveStep by, const AdaptiveColumns& at, std::ptrdiff_t n);
  // The same for the entries of a sparse row; no column comes twice.
  void (*step_entries)(const double* x, const std::int32_t* columns, AdaptiveStep by,
                       const AdaptiveColumns& at, std::ptrdiff_t n);
};

const AdaptiveOps& adaptive_ops() noexcept;

}  // namespace certus
