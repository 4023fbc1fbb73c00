// A table whose values are replaced by the numbers of their bins, one byte each: 0 .. 254, and 255 for a
// missing value. Two copies: by columns for dividing rows, and by rows in groups of columns for histograms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/view2d.hpp"

namespace certus::boosting {

inline constexpr int missing_bin = 255;
inline constexpr Index bins_per_column = 256;

using Bin = std::uint8_t;
using Row = std::uint32_t;

// Columns first .. last-1, whose bins lie next to each other for every row.
struct ColumnGroup {
  Index first = 0, last = 0;
  Index width() const { return last - first; }
};

// At most this many columns a group: the packed sums of a group then fit into the first-level cache.
inline constexpr Index group_width = 16;

// An even number of groups where there are several, so that two threads have equal shares.
inline std::vector<ColumnGroup> column_groups(Index columns) {
  Index groups = (columns + group_width - 1) / group_width;
  if (columns > 4) groups += groups % 2;
  std::vector<ColumnGroup> found;
  for (Index group = 0; group < groups; ++group) {
    found.push_back({columns * group / groups, columns * (group + 1) / groups});
  }
  return found;
}

struct BinnedTable {
  Index rows = 0;
  Index columns = 0;
  const Bin* by_column = nullptr;       // columns x rows
  const Bin* by_row = nullptr;          // for each group: rows x width, at rows * group.first
  std::span<const std::uint16_t> bins;  // bins that hold values, per column; a missing value comes on top
  std::span<const std::uint8_t> has_missing;
  std::span<const std::uint8_t> categorical;
  View2D<const double> edges;  // columns x 254: bin b holds edges[b-1] < x <= edges[b]

  const Bin* column(Index j) const { return by_column + j * rows; }
  const Bin* group(const ColumnGroup& g) const { return by_row + rows * g.first; }
};

}  // namespace certus::boosting
