#include "boosting/quantile.hpp"

#include <algorithm>
#include <cmath>

namespace certus::boosting {

double weighted_quantile(std::span<WeightedValue> values, double share) {
  std::sort(values.begin(), values.end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  double total = 0.0;
  for (const WeightedValue& each : values) total += each.weight;
  const double wanted = share * total, slack = 1e-12 * total;
  double reached = 0.0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    reached += values[i].weight;
    if (std::abs(reached - wanted) <= slack) return 0.5 * (values[i].value + values[i + 1].value);
    if (reached > wanted) return values[i].value;
  }
  return values.back().value;
}

}  // namespace certus::boosting
