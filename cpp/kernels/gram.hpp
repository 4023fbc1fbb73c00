// Kernel matrices between the rows of two tables.
//   linear       x.z
//   polynomial   (gamma x.z + offset)^degree
//   exponential  exp(gamma x.z)
//   gaussian     exp(-gamma |x - z|^2)
//   tanh         tanh(gamma x.z + offset)
//   arc_cosine   Cho and Saul's kernel of order `degree` (0, 1 or 2)
//   laplacian    exp(-gamma |x - z|_1)
//   matern       smoothness degree + 1/2 (degree 0, 1 or 2) of the distance times gamma
//   all_subsets  prod_k (1 + x_k z_k)
//   anova        sum over subsets of `degree` coordinates of prod_k x_k z_k
//   minimum      sum_k min(x_k, z_k)
//   spline       prod_k of the cubic spline kernel
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::kernels {

enum class GramKind : int {
  linear = 0,
  polynomial,
  exponential,
  gaussian,
  tanh,
  arc_cosine,
  laplacian,
  matern,
  all_subsets,
  anova,
  minimum,
  spline,
};

struct GramFunction {
  GramKind kind = GramKind::linear;
  double gamma = 1.0;
  double offset = 0.0;
  int degree = 1;
};

// Fills out (rows of left x rows of right). With `symmetric` both tables are the same: every pair is computed
// once and written twice, so that the matrix is symmetric to the last bit.
void gram(View2D<const double> left, View2D<const double> right, bool symmetric, const GramFunction& function,
          int threads, StopToken& stop, View2D<double> out);

// Turns a matrix of products x.z into the kernel's; for the kinds up to arc_cosine. The norms are |x|^2 and
// |z|^2.
void map_products(View2D<double> products, std::span<const double> left_norms,
                  std::span<const double> right_norms, bool symmetric, const GramFunction& function,
                  int threads, StopToken& stop);

}  // namespace certus::kernels
