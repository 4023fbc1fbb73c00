#include "trees/columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/parallel.hpp"

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
void radix_sort(std::uint64_t* keys, std::uint64_t* scratch, Index count) {
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
  }
  if (from != keys) std::memcpy(keys, from, static_cast<std::size_t>(count) * sizeof(std::uint64_t));
}

}  // namespace

void sort_entries(Entry* entries, Index count, SortScratch& scratch) {
  if (count < 2) return;
  // Key and row in one integer; the values are recovered from the keys afterwards.
  auto& keys = scratch.keys;
  keys.resize(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    keys[i] = std::uint64_t{ordered_bits(entries[i].value)} << 32 | entries[i].row;
  }
  if (count < 1024) {
    std::sort(keys.begin(), keys.end());
  } else {
    scratch.other.resize(keys.size());
    radix_sort(keys.data(), scratch.other.data(), count);
  }
  for (Index i = 0; i < count; ++i) {
    const auto key = static_cast<std::uint32_t>(keys[i] >> 32);
    const std::uint32_t bits = (key & 0x80000000u) ? key & 0x7fffffffu : ~key;
    entries[i] = {std::bit_cast<float>(bits), static_cast<Row>(keys[i])};
  }
}

SortedColumns SortedColumns::dense(View2D<const float> x, std::span<const Row> rows, int threads,
                                   StopToken& stop) {
  // Rows of a row-major table are read for several columns at once, so that a cache line serves all of them.
  constexpr Index group = 16;
  SortedColumns columns;
  const auto count = static_cast<Index>(rows.size());
  columns.allocate(static_cast<std::size_t>(count * x.cols));
  columns.parts_.resize(static_cast<std::size_t>(x.cols));
  parallel_ranges(x.cols, x.row_stride == 1 ? 1 : group, threads, stop, [&](Index first, Index last, int) {
    Entry* start = columns.entries_.get() + first * count;
    for (Index i = 0; i < count; ++i) {
      const Row row = rows[i];
      const float* source = x.row(row);
      for (Index column = first; column < last; ++column) {
        start[(column - first) * count + i] = {source[column * x.col_stride], row};
      }
    }
    SortScratch scratch;
    for (Index column = first; column < last && !stop.poll(); ++column) {
      Entry* entries = columns.entries_.get() + column * count;
      sort_entries(entries, count, scratch);
      const auto length = static_cast<std::uint32_t>(count);
      columns.parts_[column] = {column * count, length, count_missing(entries, length),
                                static_cast<std::uint32_t>(column)};
    }
  });
  return columns;
}

SortedColumns SortedColumns::sparse(std::span<const float> data, std::span<const std::int32_t> indices,
                                    std::span<const std::int32_t> indptr, std::span<const std::uint8_t> kept,
                                    int threads, StopToken& stop) {
  SortedColumns columns;
  const auto width = static_cast<Index>(indptr.size()) - 1;
  columns.allocate(data.size());
  columns.parts_.resize(static_cast<std::size_t>(width));
  parallel_ranges(width, 64, threads, stop, [&](Index first, Index last, int) {
    SortScratch scratch;
    for (Index column = first; column < last; ++column) {
      Entry* entries = columns.entries_.get() + indptr[column];
      Index length = 0;
      for (std::int32_t i = indptr[column]; i < indptr[column + 1]; ++i) {
        if (data[i] != 0.0f && kept[indices[i]]) entries[length++] = {data[i], static_cast<Row>(indices[i])};
      }
      sort_entries(entries, length, scratch);
      columns.parts_[column] = {indptr[column], static_cast<std::uint32_t>(length), 0,
                                static_cast<std::uint32_t>(column)};
    }
  });
  return columns;
}

}  // namespace certus::trees
