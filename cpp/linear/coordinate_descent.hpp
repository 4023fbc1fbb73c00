// Coordinate descent for a quadratic model with elastic-net penalty, the inner problem of proximal Newton:
//
//   min_step  g'step + step'H step / 2 + sum_{j < penalized} [ l1 |w_j + step_j| + (l2 / 2) (w_j + step_j)^2
//   ]
//
// H either explicit (m x m), or X'diag(h)X for a compressed sparse column matrix X whose last coordinate, the
// intercept, is an implicit column of ones. Sweeps over all coordinates alternate with sweeps over those that
// still move (Friedman, Hastie, Tibshirani 2010). Serial: each update needs the one before.
#pragma once

#include <cstdint>
#include <span>

#include "core/status.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::linear {

struct ElasticNet {
  double l1 = 0.0;
  double l2 = 0.0;
  Index penalized = 0;  // the first so many coordinates
  double tol = 1e-10;   // stop when a sweep over all coordinates gains less than this for each, on average
  Index max_sweeps = 300;
};

// `step` is in and out: the starting point and the result.
Status descend_gram(View2D<const double> hessian, std::span<const double> gradient,
                    std::span<const double> at, const ElasticNet& options, StopToken& stop,
                    std::span<double> step);

template <class T, class I>
struct SparseColumns {
  std::span<const I> starts;  // columns + 1
  std::span<const I> rows;
  std::span<const T> values;
};

// `diagonal` holds sum_i h_i x_ij^2 for every column (and sum_i h_i last if there is an intercept, which is
// so if `gradient` has one entry more than there are columns). `weighted` (rows) is workspace: diag(h) X
// step.
template <class T, class I>
Status descend_columns(const SparseColumns<T, I>& columns, std::span<const double> curvature,
                       std::span<const double> diagonal, std::span<const double> gradient,
                       std::span<const double> at, const ElasticNet& options, StopToken& stop,
                       std::span<double> step, std::span<double> weighted);

}  // namespace certus::linear
