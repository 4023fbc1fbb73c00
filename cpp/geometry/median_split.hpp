// One cut of a kd-tree: the points of a node divided at a given position of the order in a wide column.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/selection.hpp"

namespace certus::geometry {

// Workspace of the cuts of one node: `keyed` and `moved` for its members, `low` and `high` for the columns.
template <class T>
struct SplitSpace {
  std::span<std::uint64_t> keyed;
  std::span<std::int32_t> moved;
  std::vector<T> low, high;
};

// Columns' borders over a sample of the members, and the column in which they are widest apart. Any column
// makes a correct tree, and a look at all members would cost as much as the cut.
template <class T>
std::size_t widest_column(View2D<const T> rows, std::span<const std::int32_t> members, SplitSpace<T>& space) {
  constexpr std::size_t most_sampled = 128;
  const auto columns = static_cast<std::size_t>(rows.cols);
  space.low.assign(columns, std::numeric_limits<T>::infinity());
  space.high.assign(columns, -std::numeric_limits<T>::infinity());
  const std::size_t sampled = std::min(most_sampled, members.size());
  for (std::size_t i = 0; i < sampled; ++i) {
    const T* row = rows.row(members[i * members.size() / sampled]);
    for (std::size_t j = 0; j < columns; ++j) {
      space.low[j] = std::min(space.low[j], row[j]);
      space.high[j] = std::max(space.high[j], row[j]);
    }
  }
  std::size_t widest = 0;
  double spread = -1.0;
  for (std::size_t j = 0; j < columns; ++j) {
    const double width = static_cast<double>(space.high[j]) / 2 -
                         static_cast<double>(space.low[j]) / 2;  // halves: no overflow
    if (width > spread) {
      spread = width;
      widest = j;
    }
  }
  return widest;
}

// Integers in the order of the numbers.
inline std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits ^ ((bits >> 63) != 0 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

// Reorders members so that the first `position` of them have the least keys. A key and the member's place
// share one integer: the place has the lowest bits, so that keys are distinct and the cut is unique; what the
// key loses there is far below the spread, since it is the distance from the column's lower border.
template <class T>
void split_at(View2D<const T> rows, std::span<std::int32_t> members, Index position, SplitSpace<T>& space,
              StopToken& stop) {
  const std::size_t column = widest_column<T>(rows, members, space), count = members.size();
  const auto origin = static_cast<double>(space.low[column]);
  const std::uint64_t place_bits = (std::uint64_t{1} << std::bit_width(count)) - 1;
  std::uint64_t* keyed = space.keyed.data();
  for (std::size_t i = 0; i < count; ++i) {
    const double key = static_cast<double>(rows.row(members[i])[column]) - origin;
    keyed[i] = (ordered_bits(key) & ~place_bits) | i;
  }
  select_nth(keyed, keyed + position, keyed + count, stop);
  for (std::size_t i = 0; i < count; ++i) space.moved[i] = members[keyed[i] & place_bits];
  std::copy_n(space.moved.begin(), count, members.begin());
}

}  // namespace certus::geometry
