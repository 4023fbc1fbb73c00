// Emissions of hidden Markov models over many rows: log-densities and weighted moments of Gaussians with full
// covariance, weighted moments column by column, and weighted counts of symbols.
//
// Moments are taken around the states' present means, from which the new ones differ little, so that nothing
// cancels. Rows are cut into fixed blocks whose sums are added in order: equal bits for any number of
// threads.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::graphical {

// out(t, k) = constant[k] - 1/2 |W_k (x_t - m_k)|^2 with W_k (d x d) in `whitening`, one below the other
// (K d x d): the inverse of the Cholesky factor of the covariance. O(n K d^2).
void gaussian_densities(View2D<const double> x, View2D<const double> means, View2D<const double> whitening,
                        std::span<const double> constant, View2D<double> out, int threads, StopToken& stop);

// first(k, :) += sum_t g(t, k) (x_t - m_k), and of the squares in second (K x d), or of the products of all
// pairs of columns (K d x d).
void gaussian_moments(View2D<const double> x, View2D<const double> posterior, View2D<const double> means,
                      View2D<double> first, View2D<double> second, int threads, StopToken& stop);

// counts(m, k) += sum of g(t, k) over the rows with symbol m; rows with a negative symbol are left out.
void symbol_counts(std::span<const std::int64_t> symbols, View2D<const double> posterior,
                   View2D<double> counts, int threads, StopToken& stop);

}  // namespace certus::graphical
