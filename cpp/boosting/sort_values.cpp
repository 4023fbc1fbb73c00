#include "boosting/sort_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace certus::boosting {
namespace {

constexpr std::size_t values_for_digits = 2048;  // fewer are compared
constexpr int digit_bits = 11, digits = 6;       // 6 x 11 bits cover 64
constexpr std::uint64_t digit_values = std::uint64_t{1} << digit_bits;
constexpr std::uint64_t sign = std::uint64_t{1} << 63;

// Numbers as integers in the same order: negative ones are turned round, and all of them come first.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits & sign ? ~bits : bits | sign;
}

double value_of(std::uint64_t key) { return std::bit_cast<double>(key & sign ? key & ~sign : ~key); }

std::size_t digit_of(std::uint64_t key, int digit) {
  return static_cast<std::size_t>((key >> (digit * digit_bits)) & (digit_values - 1));
}

}  // namespace

void sort_values(std::vector<double>& values) {
  if (values.size() < values_for_digits) {
    std::sort(values.begin(), values.end());
    return;
  }
  std::vector<std::uint64_t> keys(values.size()), other(values.size());
  std::vector<std::array<std::uint32_t, digit_values>> counts(digits);
  for (auto& each : counts) each.fill(0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    keys[i] = key_of(values[i]);
    for (int digit = 0; digit < digits; ++digit) ++counts[digit][digit_of(keys[i], digit)];
  }
  for (int digit = 0; digit < digits; ++digit) {
    auto& places = counts[digit];
    if (places[digit_of(keys[0], digit)] == values.size()) continue;  // all have the same digit here
    std::uint32_t reached = 0;
    for (std::uint32_t& place : places) reached += std::exchange(place, reached);
    for (const std::uint64_t key : keys) other[places[digit_of(key, digit)]++] = key;
    keys.swap(other);
  }
  std::transform(keys.begin(), keys.end(), values.begin(), value_of);
}

}  // namespace certus::boosting
