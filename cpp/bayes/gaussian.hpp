// Gaussian naive Bayes: per class the weighted mean and variance of every column, and the joint
// log-likelihood
//   log P(c) - 1/2 sum_j log(2 pi v_cj) - 1/2 sum_j (x_j - m_cj)^2 / v_cj.
//
// Moments take one pass with West's update inside a block and the merge of Chan, Golub and LeVeque (1983)
// across blocks, in block order: no cancellation however far the data lie from zero, equal bits for any
// number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus {

// Moments of each class: total weight (k), mean (k x p) and sum of squared deviations from it (k x p).
struct ClassMoments {
  std::span<double> weight;
  View2D<double> mean;
  View2D<double> m2;
};

// Adds the rows of x to the moments. codes[i] in 0 .. k-1; an empty `weights` means 1 for every row; rows of
// weight zero are as good as absent. O(n p) time, O(k p) memory per block, at most 64 blocks.
template <class T>
void add_class_moments(View2D<const T> x, std::span<const std::int64_t> codes,
                       std::span<const double> weights, const ClassMoments& moments, int threads,
                       StopToken& stop);

// out(i, c) = constant[c] - 1/2 sum_j (x_ij - mean_cj)^2 precision_cj.
template <class T>
void gaussian_log_joint(View2D<const T> x, View2D<const double> mean, View2D<const double> precision,
                        std::span<const double> constant, View2D<double> out, int threads, StopToken& stop);

}  // namespace certus
