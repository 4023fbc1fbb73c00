// Rows of (column, count) pairs that grow text by text, in the order of the texts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view2d.hpp"

namespace certus::text {

struct RowStore {
  std::vector<std::uint32_t> columns;
  std::vector<std::int32_t> counts;
  std::vector<std::uint64_t> ends;  // of every row

  std::size_t rows() const { return ends.size(); }
  std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
  void end_row() { ends.push_back(columns.size()); }
};

}  // namespace certus::text
