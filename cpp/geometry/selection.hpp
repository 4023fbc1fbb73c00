// The least `position` of some values moved to the front, as std::nth_element does, but without branches that
// the processor would guess: half the time on random keys.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::geometry {

// Moves the values below the pivot to the front and returns their end. Every step swaps; only the border
// moves or does not (Lomuto's scheme).
template <class Value>
Value* partition_below(Value* first, Value* last, const Value& pivot) {
  Value* border = first;
  for (Value* at = first; at < last; ++at) {
    const Value value = *at;
    *at = *border;
    *border = value;
    border += value < pivot;
  }
  return border;
}

// Each pass partitions around a value from a sorted sample, a little beyond the wanted rank on its longer
// side, so that two passes leave a small rest (Floyd, Rivest 1975). Values must be distinct. After a stop the
// order is any.
template <class Value>
void select_nth(Value* first, Value* nth, Value* last, StopToken& stop) {
  constexpr Index small = 48, most_sampled = 255;
  Value sample[most_sampled];
  while (last - first > small) {
    const Index count = last - first;
    if (count > 65536 && stop.poll()) return;
    const Index sampled = std::min<Index>(most_sampled, count / 12);
    for (Index i = 0; i < sampled; ++i) sample[i] = first[(count - 1) * i / (sampled - 1)];
    const double share = static_cast<double>(nth - first) / static_cast<double>(count);
    const double margin = 1.0 + std::sqrt(static_cast<double>(sampled) * share * (1.0 - share));
    const double wanted = static_cast<double>(sampled) * share + (share > 0.5 ? -margin : margin);
    // A value with others on both sides: every pass makes the range shorter.
    const Index rank = std::clamp<Index>(static_cast<Index>(wanted), 1, sampled - 2);
    std::nth_element(sample, sample + rank, sample + sampled);
    Value* middle = partition_below(first, last, sample[rank]);
    (nth < middle ? last : first) = middle;
  }
  std::nth_element(first, nth, last);
}

}  // namespace certus::geometry
