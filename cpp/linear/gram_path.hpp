// Paths of elastic-net and multi-task problems from the Gram matrix alone: for tall tables, whose Gram matrix
// is small, and for users who have it already.
#pragma once

#include "core/stop.hpp"
#include "linear/path_options.hpp"

namespace certus::linear {

// `gram` is columns x columns, `cross` (X'Y) targets x columns, `target_squares` = |Y|^2. Coefs of the first
// point hold the starting coefficients.
void solve_gram_path(View2D<const double> gram, View2D<const double> cross, double target_squares,
                     const PathOptions& options, StopToken& stop, const PathRecord& record);

}  // namespace certus::linear
