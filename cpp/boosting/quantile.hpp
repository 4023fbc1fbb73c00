// Quantiles of weighted numbers.
#pragma once

#include <span>

namespace certus::boosting {

struct WeightedValue {
  double value, weight;
};

// The smallest value that has at least `share` of the weight at or below it, averaged with the next one where
// that is exactly the share (so that the median of an even number of values is the middle of two). Reorders
// the values; they must not be empty, weights must be above 0.
double weighted_quantile(std::span<WeightedValue> values, double share);

}  // namespace certus::boosting
