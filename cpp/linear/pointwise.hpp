// Losses, row by row: value, derivative and curvature with respect to the scores f of a linear model.
//
//   squared      l = (f - y)^2 / 2 per output                  y: one number per output
//   logistic     l = log(1 + e^f) - y f                        y: in [0, 1], one output
//   multinomial  l = log sum_k e^{f_k} - f_y                   y: position of the class, k outputs
//   poisson      l = e^f - y f                                 y: at least 0, one output
//   gamma        l = f + y e^{-f}                              y: greater than 0, one output
//
// All are weighted by s_i (absent: 1). The first three never overflow for finite scores; the last two become
// infinite where e^f or e^{-f} does.
#pragma once

#include "core/view2d.hpp"

namespace certus::linear {

enum class Loss : int { squared = 0, logistic = 1, multinomial = 2, poisson = 3, gamma = 4 };

// In: scores (rows x outputs). Out: scores become the derivatives s_i dl/df; `curvature`, if not null (rows x
// outputs), becomes s_i d2l/df2, but the class probabilities for `multinomial`.
// Returns the weighted sum of the losses.
double apply_loss(Loss loss, Index rows, Index outputs, const double* target, const double* weights,
                  double* scores, double* curvature) noexcept;

// Multiplies directions (rows x outputs) by the curvature that `apply_loss` left, in place.
void apply_curvature(Loss loss, Index rows, Index outputs, const double* curvature, const double* weights,
                     double* directions) noexcept;

}  // namespace certus::linear
