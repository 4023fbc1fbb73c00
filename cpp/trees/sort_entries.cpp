#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "trees/columns.hpp"

namespace certus::trees {
namespace {

// An integer in the order of the floats: negative ones reversed, NaN above everything.
std::uint32_t ordered_bits(float value) {
  if (std::isnan(value)) return ~std::uint32_t{0};
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);  // -0 becomes +0
  return (bits & 0x80000000u) ? ~bits : bits | 0x80000000u;
}

// Two passes of a least-significant-digit radix sort by 2 x Bits bits of key - low, from `shift` upwards. The
// result is in `keys`; keys that agree in these bits stay in their order.
template <int Bits>
void radix_passes(std::uint64_t* keys, std::uint64_t* scratch, Index count, std::uint64_t low, int shift) {
  constexpr std::size_t values = std::size_t{1} << Bits;
  std::array<std::array<std::uint32_t, values>, 2> starts{};
  const auto digit = [&](std::uint64_t key, int place) {
    return static_cast<std::size_t>((key - low) >> (shift + place * Bits)) & (values - 1);
  };
  for (Index i = 0; i < count; ++i) {
    ++starts[0][digit(keys[i], 0)];
    ++starts[1][digit(keys[i], 1)];
  }
  for (auto& slots : starts) {
    std::uint32_t start = 0;
    for (auto& slot : slots) start += std::exchange(slot, start);
  }
  for (Index i = 0; i < count; ++i) scratch[starts[0][digit(keys[i], 0)]++] = keys[i];
  for (Index i = 0; i < count; ++i) keys[starts[1][digit(scratch[i], 1)]++] = scratch[i];
}

// Finishes keys that are nearly sorted. False if they are not: then they are in some order.
bool finish_by_insertion(std::uint64_t* keys, Index count) {
  Index moves = 0;
  for (Index i = 1; i < count; ++i) {
    const std::uint64_t key = keys[i];
    Index place = i;
    for (; place > 0 && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
    keys[place] = key;
    moves += i - place;
    if (moves > 8 * count) return false;
  }
  return true;
}

// Sorts by the leading bits of the range that the keys span; what these bits cannot tell apart is left to
// insertion, unless the values are so clustered that this would take long.
void sort_keys(std::uint64_t* keys, std::uint64_t* scratch, Index count, StopToken& stop) {
  const auto [least, most] = std::minmax_element(keys, keys + count);
  const std::uint64_t low = *least;
  const int width = std::bit_width(*most - low);
  constexpr Index many = 4096;
  const int bits = count < many ? 8 : 11;
  const int shift = std::max(0, width - 2 * bits);
  if (count < many) {
    radix_passes<8>(keys, scratch, count, low, shift);
  } else {
    radix_passes<11>(keys, scratch, count, low, shift);
  }
  if (count > rows_per_poll && stop.poll()) return;
  if (shift > 0 && !finish_by_insertion(keys, count)) std::sort(keys, keys + count);
}

}  // namespace

void sort_entries(Entry* entries, Index count, ColumnScratch& scratch, StopToken& stop) {
  constexpr Index worth_radix = 48;
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
    sort_keys(keys.data(), scratch.other_keys.data(), count, stop);
  }
  for (Index i = 0; i < count; ++i) {
    const auto key = static_cast<std::uint32_t>(keys[i] >> 32);
    const std::uint32_t bits = (key & 0x80000000u) ? key & 0x7fffffffu : ~key;
    entries[i] = {std::bit_cast<float>(bits), static_cast<Row>(keys[i])};
  }
}

}  // namespace certus::trees
