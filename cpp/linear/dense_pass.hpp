// One reading of a dense table for everything that a smooth loss needs. With scores F = X W' + 1 b':
//
//   loss_gradient     sum_i s_i l(y_i, f_i),   W-gradient R'X,   b-gradient R'1        R = s dl/df
//   hessian_product   the same map applied to a direction (V, v):  T'X, T'1            T = curvature(X V' + 1
//   v') newton_pass       (one output) loss, gradient and [X - m, 1]' diag(curvature) [X - m, 1]
//
// X of either float type and any strides; sums in double; fixed blocks, combined in order: equal bits for any
// number of threads.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "linear/pointwise.hpp"

namespace certus::linear {

// A linear model or a direction in its space: coef is outputs x columns, intercept has one entry per output.
struct Coefficients {
  View2D<const double> coef;
  std::span<const double> intercept;
};

struct GradientOut {
  View2D<double> coef;
  std::span<double> intercept;
};

template <class T>
struct Rows {
  View2D<const T> x;
  View2D<const double> target;      // rows x outputs (squared) or rows x 1
  std::span<const double> weights;  // empty: all ones
};

// `curvature` (rows x outputs) may be empty. Returns the loss.
template <class T>
double loss_gradient(Loss loss, const Rows<T>& rows, const Coefficients& at, int threads, StopToken& stop,
                     GradientOut gradient, View2D<double> curvature);

template <class T>
void hessian_product(Loss loss, const Rows<T>& rows, View2D<const double> curvature,
                     const Coefficients& direction, int threads, StopToken& stop, GradientOut product);

// One output; `hessian` is (columns + 1) square, its last row and column belong to the intercept.
template <class T>
double newton_pass(Loss loss, const Rows<T>& rows, const Coefficients& at, std::span<const double> shift,
                   int threads, StopToken& stop, GradientOut gradient, View2D<double> hessian);

// Scores (rows x outputs) of every row, and the length of (x_i - shift) / scale unless lengths is empty.
template <class T>
void scores_and_lengths(View2D<const T> x, const Coefficients& at, std::span<const double> shift,
                        std::span<const double> scale, int threads, StopToken& stop, View2D<double> scores,
                        std::span<double> lengths);

// The longest chain of additions behind one entry of a gradient.
Index gradient_chain(Index rows, Index cols, Index outputs);

}  // namespace certus::linear
