// Cholesky factorization of a large symmetric matrix, tiles of the trailing update shared among threads.
#pragma once

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::kernels {

// Overwrites the lower triangle of the row-major matrix (size x size) by L with L L' = matrix and returns
// `size`; returns the first row whose pivot is not positive if there is one. What is above the diagonal is
// left in an unspecified state. A stop leaves the factor incomplete.
Index factor_cholesky(double* matrix, Index size, int threads, StopToken& stop);

}  // namespace certus::kernels
