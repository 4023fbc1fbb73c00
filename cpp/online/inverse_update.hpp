// The inverse of a matrix that grows by one outer product per trial, A += a x x' (Sherman, Morrison 1950).
#pragma once

#include "core/view2d.hpp"

namespace certus::online {

// out := A^-1 x for a row x; returns x' A^-1 x.
template <class Row>
double inverse_times(View2D<double> inverse, const Row& row, double* out) {
  for (Index j = 0; j < inverse.rows; ++j) out[j] = row.dot(inverse.row(j));
  return row.dot(out);
}

// A^-1 -= scale v v' / size for v = A^-1 x and size = 1 + scale x' A^-1 x; stays symmetric to the bit.
inline void add_to_inverse(View2D<double> inverse, double scale, const double* v, double size) {
  const double factor = scale / size;
  for (Index j = 0; j < inverse.rows; ++j) {
    double* line = inverse.row(j);
    for (Index k = 0; k < inverse.cols; ++k) line[k] -= factor * (v[j] * v[k]);
  }
}

}  // namespace certus::online
