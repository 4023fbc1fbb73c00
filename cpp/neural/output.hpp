// The loss at the scores of a network and its derivative there (delta).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/losses.hpp"
#include "neural/table.hpp"

namespace certus::neural {

struct OutputRule {
  Loss loss{LossKind::multinomial};
  double smoothing = 0.0;         // share of a label's weight that all labels get evenly
  std::vector<double> quantiles;  // ascending; score 0 is the first, the others add softplus(score)
};

// What the outputs are compared with: classes, numbers (a row of the matrix each), or, for losses that the
// caller computes, the derivatives themselves.
template <class T>
struct Targets {
  std::span<const std::int32_t> classes;
  View2D<const T> values;
  View2D<const T> deltas;
};

// Sum over the rows of weight * loss; `scores` becomes weight * derivative. `weights` (by table row) may be
// empty; `factor` is multiplied to them.
template <class T>
double output_delta(const OutputRule& rule, const Targets<T>& targets, const Rows& rows,
                    std::span<const double> weights, double factor, View2D<T> scores);

// Scores of quantiles as the quantiles themselves, in place.
template <class T>
void cumulate_quantiles(View2D<T> scores);

}  // namespace certus::neural
