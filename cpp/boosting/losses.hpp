// Losses of boosting as functions of the raw prediction r: gradient, hessian and value of all rows. The
// formulas are in core/losses.hpp. Weights count in means only; the trees multiply derivatives by them.
#pragma once

#include <span>

#include "core/losses.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::boosting {

struct Rows {
  std::span<const double> target;
  std::span<const double> weights;  // empty: 1 each
};

// Derivatives of every row; returns the weighted mean of the loss, which costs next to nothing beside them.
// `hessians` may be empty if it is 1 for every row.
double loss_gradients(Loss loss, const Rows& rows, std::span<const double> raw, std::span<double> gradients,
                      std::span<double> hessians, int threads, StopToken& stop);
// Weighted mean over the rows.
double mean_loss(Loss loss, const Rows& rows, std::span<const double> raw, int threads, StopToken& stop);

// Several classes: raw and shares are classes x rows, targets are class numbers.
void class_shares(View2D<const double> raw, View2D<double> shares, int threads, StopToken& stop);
// The same with the weighted mean of the loss.
double class_shares_and_loss(const Rows& rows, View2D<const double> raw, View2D<double> shares, int threads,
                             StopToken& stop);
void class_gradients(std::span<const double> target, std::span<const double> shares, Index label,
                     std::span<double> gradients, std::span<double> hessians, int threads, StopToken& stop);
double mean_class_loss(const Rows& rows, View2D<const double> raw, int threads, StopToken& stop);

}  // namespace certus::boosting
