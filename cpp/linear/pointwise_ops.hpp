// Losses of many rows at once, one version per instruction set (see core/isa.hpp).
#pragma once

#include <cstddef>

namespace certus::linear {

struct PointwiseOps {
  // The logistic loss of core/losses.hpp with labels y in [0, 1]: scores become slopes, `curvature` may be
  // null, both are multiplied by the weights (null: 1). Returns the weighted sum.
  double (*logistic)(const double* y, const double* weights, std::ptrdiff_t rows, double* scores,
                     double* curvature);
};

}  // namespace certus::linear

namespace certus {
const linear::PointwiseOps& pointwise_ops() noexcept;
}
