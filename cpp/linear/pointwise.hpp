// Losses of all rows: value, derivative and curvature with respect to the scores of a linear model, weighted
// by s_i (absent: 1). The formulas are in core/losses.hpp; targets have one column per output, but one column
// with the number of the class for `multinomial`.
#pragma once

#include "core/losses.hpp"
#include "core/view2d.hpp"

namespace certus::linear {

// In: scores (rows x outputs). Out: scores become the derivatives s_i dl/df; `curvature`, if not null (rows x
// outputs), becomes s_i d2l/df2, but the class probabilities for `multinomial`.
// Returns the weighted sum of the losses.
double apply_loss(Loss loss, Index rows, Index outputs, const double* target, const double* weights,
                  double* scores, double* curvature) noexcept;

// Multiplies directions (rows x outputs) by the curvature that `apply_loss` left, in place.
void apply_curvature(Loss loss, Index rows, Index outputs, const double* curvature, const double* weights,
                     double* directions) noexcept;

}  // namespace certus::linear
