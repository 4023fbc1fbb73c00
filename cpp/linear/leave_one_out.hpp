// Leverages and fitted values of ridge regression for many penalties in one reading of the table. With an
// orthonormal basis V (p x p) in which the centered second moments are diagonal, and z_i = V'(x_i - m),
//
//   leverages(i, a) = sum_k z_ik^2 damping(k, a)            damping(k, a) = 1 / (lambda_k + alpha_a)
//   fitted(i, c)    = sum_k z_ik directions(k, c)
//
// O(n p (p + a + c)) multiplications. Every row is computed on its own: equal bits for any number of threads.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::linear {

struct RidgeBasis {
  std::span<const double> shift;    // m
  View2D<const double> vectors;     // V, row-major
  View2D<const double> damping;     // p x penalties
  View2D<const double> directions;  // p x (penalties * targets)
};

template <class T>
void ridge_leverages(View2D<const T> x, const RidgeBasis& basis, int threads, StopToken& stop,
                     View2D<double> leverages, View2D<double> fitted);

}  // namespace certus::linear
