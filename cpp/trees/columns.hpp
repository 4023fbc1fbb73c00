// Sorted columns: every column of the table as a list of (value, row), sorted once before the tree grows. A
// node owns one contiguous part of each list; splitting a node divides its parts stably, so that they stay
// sorted and nothing is ever sorted again (SLIQ/SPRINT attribute lists; Mehta, Agrawal, Rissanen 1996).
//
// Missing values (NaN) are kept at the end of a column. A sparse column lists only its non-zero values; the
// zeros of a node are the rows that its part does not list.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::trees {

using Row = std::uint32_t;

struct Entry {
  float value;
  Row row;
};

// Two neighbouring values this close count as equal, as in scikit-learn: no threshold is put between them.
inline constexpr float tie_width = 1e-7f;
inline bool tied(float low, float high) { return high <= low + tie_width; }

// What one node owns of one column.
struct ColumnPart {
  Index begin = 0;            // of its entries in the list
  std::uint32_t count = 0;    // entries, the missing ones included
  std::uint32_t missing = 0;  // entries that are NaN; they are the last
  std::uint32_t feature = 0;
};

class SortedColumns {
 public:
  // All columns of a dense table, restricted to `rows` (ascending).
  static SortedColumns dense(View2D<const float> x, std::span<const Row> rows, int threads, StopToken& stop);
  // All columns of a sparse table in compressed-column form; `kept[row]` is 0 for rows to leave out. Stored
  // zeros are dropped.
  static SortedColumns sparse(std::span<const float> data, std::span<const std::int32_t> indices,
                              std::span<const std::int32_t> indptr, std::span<const std::uint8_t> kept,
                              int threads, StopToken& stop);

  Entry* entries(const ColumnPart& part) const { return entries_.get() + part.begin; }
  const std::vector<ColumnPart>& parts() const { return parts_; }

 private:
  void allocate(std::size_t count) { entries_ = std::make_unique_for_overwrite<Entry[]>(count); }

  std::unique_ptr<Entry[]> entries_;
  std::vector<ColumnPart> parts_;  // what the root owns
};

// Working memory of `sort_entries`, kept from one column to the next.
struct SortScratch {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> other;
};

// Sorts entries by value, NaN last, equal values by row; their rows must be ascending.
void sort_entries(Entry* entries, Index count, SortScratch& scratch);

// How many entries at the end of a sorted list are NaN.
inline std::uint32_t count_missing(const Entry* entries, std::uint32_t count) {
  std::uint32_t low = 0, high = count;  // the first NaN is in [low, high]
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (std::isnan(entries[middle].value)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return count - low;
}

}  // namespace certus::trees
