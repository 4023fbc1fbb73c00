// One cut of a kd-tree: the points of a node divided at a given position of the order in its widest column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::geometry {

template <class T>
struct KeyedRow {
  T key;
  std::int32_t row;
  // Equal keys are ordered by row, so that the cut is unique.
  friend bool operator<(const KeyedRow& a, const KeyedRow& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  }
};

template <class T>
Index widest_column(View2D<const T> rows, const std::int32_t* members, Index count, StopToken& stop) {
  std::vector<T> low(static_cast<std::size_t>(rows.cols), std::numeric_limits<T>::infinity());
  std::vector<T> high(static_cast<std::size_t>(rows.cols), -std::numeric_limits<T>::infinity());
  for (Index i = 0; i < count; ++i) {
    if (i % 65536 == 65535 && stop.poll()) return 0;
    const T* row = rows.row(members[i]);
    for (Index j = 0; j < rows.cols; ++j) {
      low[static_cast<std::size_t>(j)] = std::min(low[static_cast<std::size_t>(j)], row[j]);
      high[static_cast<std::size_t>(j)] = std::max(high[static_cast<std::size_t>(j)], row[j]);
    }
  }
  Index widest = 0;
  double spread = -1.0;
  for (Index j = 0; j < rows.cols; ++j) {
    const double width = static_cast<double>(high[static_cast<std::size_t>(j)]) / 2 -
                         static_cast<double>(low[static_cast<std::size_t>(j)]) / 2;  // halves: no overflow
    if (width > spread) {
      spread = width;
      widest = j;
    }
  }
  return widest;
}

// Like std::nth_element, but answers a stop within one pass over the data: large ranges are first narrowed by
// partitions around a pivot taken from a small sample, at most a fixed number of times.
template <class Value>
void stoppable_nth_element(Value* first, Value* nth, Value* last, StopToken& stop) {
  constexpr Index small = 1 << 18, sample_size = 63;
  for (int pass = 0; pass < 64 && last - first > small; ++pass) {
    if (stop.poll()) return;
    Value sample[sample_size];
    for (Index i = 0; i < sample_size; ++i) sample[i] = first[(last - first - 1) * i / (sample_size - 1)];
    const Index rank = std::clamp<Index>(sample_size * (nth - first) / (last - first), 1, sample_size - 2);
    std::nth_element(sample, sample + rank, sample + sample_size);
    const Value pivot = sample[rank];
    Value* middle = std::partition(first, last, [&](const Value& value) { return value < pivot; });
    (nth < middle ? last : first) = middle;
  }
  std::nth_element(first, nth, last);
}

// Reorders members so that the first `position` of them are those with the least (key, row).
template <class T>
void split_at(View2D<const T> rows, std::int32_t* members, Index count, Index position, KeyedRow<T>* scratch,
              StopToken& stop) {
  const Index column = widest_column(rows, members, count, stop);
  for (Index i = 0; i < count; ++i) scratch[i] = {rows.row(members[i])[column], members[i]};
  stoppable_nth_element(scratch, scratch + position, scratch + count, stop);
  for (Index i = 0; i < count; ++i) members[i] = scratch[i].row;
}

}  // namespace certus::geometry
