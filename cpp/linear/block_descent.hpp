// Block coordinate descent for a quadratic model with a penalty on the length of every block of coefficients:
//
//   minimize over the step s     g's + s'Hs / 2 + sum_b l1_b |w_b + s_b|
//
// H must be diagonal inside every block: the caller turns each block to the eigenvectors of its part of H,
// which changes no length. Then a block is minimized exactly (core/penalties.hpp). Full sweeps alternate with
// sweeps over the blocks that are not 0.
#pragma once

#include <cstdint>
#include <span>

#include "core/status.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::linear {

struct BlockProblem {
  View2D<const double> hessian;
  std::span<const double> gradient;
  std::span<const double> at;            // w
  std::span<const std::int64_t> starts;  // of the blocks, and the end of the last one
  std::span<const double> l1;            // per block; 0: not penalized
};

// Stops when a full sweep gains less than `tol`. `step` is in and out: the starting point and the result.
Status descend_blocks(const BlockProblem& problem, double tol, Index max_sweeps, StopToken& stop,
                      std::span<double> step);

}  // namespace certus::linear
