// Steps of expectation and maximization for mixtures of Gaussians. For rows x with weights w and components
// with means m_k and factors U_k of their precisions (U U' = inverse covariance; upper triangular, or a
// diagonal),
//
//   joint_k(x) = constant_k - 1/2 |U_k' (x - m_k)|^2,   share_k(x) = exp(joint_k) / sum_l exp(joint_l).
//
// One pass over the rows gives the log-likelihood and the moments of all components around given centers:
// shares are never stored. Rows are taken in groups that are turned, so that a register holds one column of
// several rows; half of a triangular product and half of the symmetric sums are never computed. O(n k p^2),
// or O(n k p) for diagonals. Blocks of rows are cut by the table's size and combined in order: equal bits for
// any number of threads. Differences to means come first, so that nothing cancels far from the origin.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::mixture {

struct Components {
  View2D<const double> means;         // k x p
  View2D<const double> factors;       // k x p^2 (full) or k x p (diagonal)
  std::span<const double> constants;  // k
  bool full() const { return factors.cols != means.cols || means.cols == 1; }
};

// Sums over all rows: shares (k), first moments (k x p), second moments (k x p^2, symmetric, or k x p).
struct Moments {
  std::span<double> weight;
  View2D<double> first;
  View2D<double> second;
};

// Adds to the moments of the rows around `centers` (k x p), and returns sum_i w_i ln sum_k exp(joint_k(x_i)).
template <class T>
double add_moments(View2D<const T> x, std::span<const double> weights, const Components& components,
                   View2D<const double> centers, const Moments& moments, int threads, StopToken& stop);

// out(i, k) = joint_k(x_i).
template <class T>
void log_joint(View2D<const T> x, const Components& components, View2D<double> out, int threads,
               StopToken& stop);

}  // namespace certus::mixture
