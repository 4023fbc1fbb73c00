// Cholesky factorization L L' of a symmetric matrix in blocks, so that nearly all work is matrix products;
// tiles of the trailing update are shared among threads.
#pragma once

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus {

// Overwrites the lower triangle of the row-major matrix (size x size) by L and returns `size`. When the pivot
// of a row is not above `least` times its diagonal entry, returns that row: L is then complete for the rows
// before it, and in this row up to its diagonal. What is above the diagonal is left in an unspecified state.
// A stop leaves the factor incomplete.
Index factor_cholesky(double* matrix, Index size, double least, int threads, StopToken& stop);
// Overwrites `right` by the solution of L L'x = right.
void solve_cholesky(const double* factor, Index size, double* right);
// Overwrites the first `count` entries of `right` by the solution of L'x = right for the leading block of L.
void solve_upper(const double* factor, Index size, Index count, double* right);

}  // namespace certus
