// The triangular factor of a matrix that grows by one outer product per trial: A = R'R, R upper triangular.
#pragma once

#include <cmath>

#include "core/view2d.hpp"

namespace certus::online {

// A += v v', by plane rotations; v is used up.
inline void add_to_factor(View2D<double> factor, double* v) {
  for (Index k = 0; k < factor.rows; ++k) {
    if (v[k] == 0.0) continue;
    double* row = factor.row(k);
    const double size = std::hypot(row[k], v[k]), cosine = row[k] / size, sine = v[k] / size;
    row[k] = size;
    for (Index j = k + 1; j < factor.cols; ++j) {
      const double above = row[j];
      row[j] = cosine * above + sine * v[j];
      v[j] = cosine * v[j] - sine * above;
    }
  }
}

// x := A^-1 x.
inline void solve_factored(View2D<double> factor, double* x) {
  for (Index k = 0; k < factor.rows; ++k) {
    const double* row = factor.row(k);
    x[k] /= row[k];
    for (Index j = k + 1; j < factor.cols; ++j) x[j] -= row[j] * x[k];
  }
  for (Index k = factor.rows - 1; k >= 0; --k) {
    const double* row = factor.row(k);
    for (Index j = k + 1; j < factor.cols; ++j) x[k] -= row[j] * x[j];
    x[k] /= row[k];
  }
}

}  // namespace certus::online
