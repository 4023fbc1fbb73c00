#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "trees/columns.hpp"

namespace certus::trees {
namespace {

constexpr int digit_bits = 11;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;
constexpr int digits = 3;  // 3 x 11 bits cover the 32 bits of a float

// An integer in the order of the floats: negative ones reversed, NaN above everything.
std::uint32_t ordered_bits(float value) {
  if (std::isnan(value)) return ~std::uint32_t{0};
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);  // -0 becomes +0
  return (bits & 0x80000000u) ? ~bits : bits | 0x80000000u;
}

std::size_t digit(std::uint64_t key, int place) {
  return static_cast<std::size_t>(key >> (32 + place * digit_bits)) & (digit_values - 1);
}

// Least-significant-digit radix sort of the upper 32 bits; stable. The result is in `keys`.
void radix_sort(std::uint64_t* keys, std::uint64_t* scratch, Index count, StopToken& stop) {
  std::array<std::array<std::uint32_t, digit_values>, digits> counts{};
  for (Index i = 0; i < count; ++i) {
    for (int place = 0; place < digits; ++place) ++counts[place][digit(keys[i], place)];
  }
  std::uint64_t* from = keys;
  std::uint64_t* to = scratch;
  for (int place = 0; place < digits; ++place) {
    auto& starts = counts[place];
    if (starts[digit(from[0], place)] == static_cast<std::uint32_t>(count)) continue;  // one digit for all
    std::uint32_t start = 0;
    for (auto& slot : starts) start += std::exchange(slot, start);
    for (Index i = 0; i < count; ++i) to[starts[digit(from[i], place)]++] = from[i];
    std::swap(from, to);
    if (count > rows_per_poll && stop.poll()) break;
  }
  if (from != keys) std::memcpy(keys, from, static_cast<std::size_t>(count) * sizeof(std::uint64_t));
}

}  // namespace

void sort_entries(Entry* entries, Index count, ColumnScratch& scratch, StopToken& stop) {
  constexpr Index worth_radix = 1024;
  if (count < 2) return;
  // Key and row in one integer; the values are recovered from the keys afterwards.
  auto& keys = scratch.keys;
  if (static_cast<Index>(keys.size()) < count) keys.resize(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    keys[i] = std::uint64_t{ordered_bits(entries[i].value)} << 32 | entries[i].row;
  }
  if (count < worth_radix) {
    std::sort(keys.begin(), keys.begin() + count);
  } else {
    if (scratch.other_keys.size() < keys.size()) scratch.other_keys.resize(keys.size());
    radix_sort(keys.data(), scratch.other_keys.data(), count, stop);
  }
  for (Index i = 0; i < count; ++i) {
    const auto key = static_cast<std::uint32_t>(keys[i] >> 32);
    const std::uint32_t bits = (key & 0x80000000u) ? key & 0x7fffffffu : ~key;
    entries[i] = {std::bit_cast<float>(bits), static_cast<Row>(keys[i])};
  }
}

}  // namespace certus::trees
