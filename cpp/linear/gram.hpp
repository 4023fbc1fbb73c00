// Second moments of a table in one pass: with Z = [X - s_x, Y - s_y, 1] and weights w,
//
//     out = Z' diag(w) Z        (d + t + 1 square, symmetric, row-major)
//
// so that one symmetric product holds X'WX, X'WY, Y'WY, the sums of X and Y, and the sum of w. The shift s,
// any point near the data, keeps the centered moments  X'WX - (sum x)(sum x)'/sum w  free of cancellation.
//
// Input of either float type and any strides; every sum is in double. O(n (d+t)^2 / 2) multiplications, one
// reading of X. Equal bits for any number of threads. Non-finite input gives a non-finite diagonal.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::linear {

// `weights` may be empty (all ones); `shift` has d + t entries; `out` is overwritten.
template <class T>
void shifted_gram(View2D<const T> x, View2D<const double> y, std::span<const double> weights,
                  std::span<const double> shift, int threads, StopToken& stop, View2D<double> out);

// The longest chain of additions behind one entry of `out`.
Index gram_chain(Index rows, Index width);

}  // namespace certus::linear
