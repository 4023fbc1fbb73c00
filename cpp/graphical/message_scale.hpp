// Sizes of messages: powers of two are taken out of them, which rounds nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace certus::graphical {

// Divides by a power of two so that the largest value is in [1, 2); returns its exponent. All zeros stay.
inline std::int64_t scale(std::span<double> values) {
  const double largest = values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
  if (largest <= 0.0 || !std::isfinite(largest)) return 0;
  const int exponent = std::ilogb(largest);
  if (exponent > -64 && exponent < 64) return 0;
  const double half = std::ldexp(1.0, -exponent / 2), rest = std::ldexp(1.0, -exponent - (-exponent / 2));
  for (double& value : values) value = (value * half) * rest;
  return exponent;
}

inline double total(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace certus::graphical
