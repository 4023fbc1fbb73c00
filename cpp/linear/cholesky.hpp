// Cholesky factorization L L' of a symmetric matrix in blocks, so that nearly all work is matrix products.
#pragma once

#include "core/view2d.hpp"

namespace certus::linear {

// Overwrites the lower triangle of the row-major matrix (size x size) by L. False, with the matrix destroyed,
// when a pivot is not above `least` times its diagonal entry.
bool factor_cholesky(double* matrix, Index size, double least);
// Overwrites `right` by the solution of L L'x = right.
void solve_cholesky(const double* factor, Index size, double* right);

}  // namespace certus::linear
