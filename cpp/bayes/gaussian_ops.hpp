// Inner loops of Gaussian naive Bayes over one row, one version per instruction set.
#pragma once

#include <cstddef>

namespace certus {

struct GaussianOps {
  // West's (1979) update of mean and sum of squared deviations by one row x of weight w; share = w / total
  // weight including this row.
  void (*update_f)(const float* x, double w, double share, double* mean, double* m2, std::ptrdiff_t p);
  void (*update_d)(const double* x, double w, double share, double* mean, double* m2, std::ptrdiff_t p);
  // sum_j (x_j - mean_j)^2 * precision_j
  double (*distance_f)(const float* x, const double* mean, const double* precision, std::ptrdiff_t p);
  double (*distance_d)(const double* x, const double* mean, const double* precision, std::ptrdiff_t p);
};

const GaussianOps& gaussian_ops() noexcept;

}  // namespace certus
