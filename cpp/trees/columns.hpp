// The columns of the table, as the nodes of a growing tree see them. Each node owns a part of every column:
// the rows that reach it. There are two ways to have a part in sorted order:
//
// `ListedColumns` sort every column once before the tree grows and keep it as a list of (value, row). A
// node's part is a contiguous piece of the list; splitting the node divides its pieces stably, so that they
// stay sorted and nothing is sorted again (Mehta, Agrawal, Rissanen 1996). Best when most columns are
// searched at each node; also for sparse tables, where a list holds only the non-zero values.
//
// `GatheredColumns` look the values up when a column is searched, and sort them then if they must be sorted.
// Best when few columns are searched at each node, or none has to be sorted.
//
// `BinnedColumns` (binned_columns.hpp) do the same with the numbers of bins instead of values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
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

// Two neighboring values this close count as equal, as in scikit-learn: no threshold is put between them.
inline constexpr float tie_width = 1e-7f;
inline bool tied(float low, float high) { return high <= low + tie_width; }

// Floats are at most a number if they are at most this one.
inline float largest_float_up_to(double threshold) {
  const auto rounded = static_cast<float>(threshold);
  return rounded <= threshold ? rounded : std::nextafter(rounded, -std::numeric_limits<float>::infinity());
}

// Which values go left: numbers up to a threshold, or some categories.
struct SideRule {
  double threshold = 0.0;
  bool missing_left = false;
  const std::uint8_t* left_by_code = nullptr;  // for each category of the node; null for numbers

  // Where a value goes that is not missing.
  bool operator()(float value) const {
    return left_by_code != nullptr ? left_by_code[static_cast<std::uint32_t>(value)] != 0
                                   : value <= threshold;
  }
};

// What one node owns of one column. Only the feature has a meaning for gathered columns.
struct ColumnPart {
  Index begin = 0;            // of its entries in the list
  std::uint32_t count = 0;    // entries, the missing ones included
  std::uint32_t missing = 0;  // entries that are NaN; they are the last
  std::uint32_t feature = 0;
};

// One column of one node, ready to be searched.
struct ColumnView {
  const Entry* entries = nullptr;
  Index listed = 0;   // entries with a value
  Index missing = 0;  // NaN entries behind them
  Index zeros = 0;    // rows that a sparse column does not list
  Index zero_at = 0;  // how many listed values are below zero
  float low = 0.0f;   // smallest and largest value
  float high = 0.0f;
  std::span<const Row> rows;

  bool constant() const { return listed + zeros == 0 || (missing == 0 && tied(low, high)); }
};

// One bit per row of the table.
class RowBits {
 public:
  explicit RowBits(Index rows) : words_(static_cast<std::size_t>(rows) / 64 + 1) {}
  bool operator[](Row row) const { return (words_[row >> 6] >> (row & 63)) & 1; }
  void set(Row row, bool on) {
    const std::uint64_t mask = std::uint64_t{1} << (row & 63);
    words_[row >> 6] = (words_[row >> 6] & ~mask) | (on ? mask : 0);
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Loops over rows ask the stop token once per so many rows: often enough for 100 ms, too seldom to be felt.
inline constexpr Index rows_per_poll = Index{1} << 16;

// Calls body(first, last) on pieces of 0 .. count until the token stops it. False if it was stopped.
template <class Body>
bool for_pieces(Index count, StopToken& stop, Body&& body) {
  for (Index first = 0; first < count; first += rows_per_poll) {
    body(first, std::min(count, first + rows_per_poll));
    if (count > rows_per_poll && stop.poll()) return false;
  }
  return true;
}

// The values of a node's rows in one column, in the order of the rows; NaN where they are missing.
struct RowValues {
  const float* values = nullptr;
  Index count = 0;
  Index missing = 0;
  float low = 0.0f;  // smallest and largest value
  float high = 0.0f;

  bool constant() const { return missing == count || (missing == 0 && tied(low, high)); }
};

// Working memory of one thread.
struct ColumnScratch {
  std::vector<float> values;                    // of the rows of a node
  std::vector<std::uint64_t> keys, other_keys;  // of the sort
  std::vector<Entry> entries, right;            // of gathering and dividing
  std::vector<std::uint8_t> bins;
  std::vector<Entry> higher;
  std::vector<Entry> categories;  // of a categorical column, rearranged
};

// Two bins that hold rows of a node and have none between them.
struct BinBorder {
  int below = 0;
  int above = 0;
};

class Columns {
 public:
  virtual ~Columns() = default;

  // What the root owns.
  virtual std::vector<ColumnPart> root() const = 0;
  // A part in sorted order; the view lives until the scratch is used again. A constant one need not be
  // sorted. After a stop the view is empty.
  virtual ColumnView sorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                            StopToken& stop) const = 0;
  // The same in any order.
  virtual ColumnView unsorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                              StopToken& stop) const = 0;
  // How many listed values of an unsorted view are at most the threshold; their entries come first
  // afterwards.
  virtual Index cut(const ColumnView& view, double threshold, ColumnScratch& scratch) const = 0;
  // Moves the rows that go left to the front, both sides in their order. How many go left. `right` has room
  // for all rows, `goes_left` for all rows of the table.
  virtual Index divide_rows(const ColumnPart& part, std::span<Row> rows, const SideRule& rule,
                            RowBits& goes_left, Row* right) const = 0;
  // A part in the order of its values even if the columns are binned.
  virtual ColumnView by_value(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                              StopToken& stop) const {
    return sorted(part, rows, scratch, stop);
  }
  // Whether parts have to be divided between the children of a node, or are the same for all nodes.
  virtual bool divides() const = 0;
  // Gives the part to the children, null for those that do not need it.
  virtual void divide(const ColumnPart&, const RowBits&, ColumnPart*, ColumnPart*, ColumnScratch&) {}
  // Whether a part is known to be constant without looking at its values.
  virtual bool known_constant(const ColumnPart&, Index) const { return false; }
  // The values of the rows, if they are cheaper to have in this form than in any other. No values after a
  // stop.
  virtual std::optional<RowValues> values(const ColumnPart&, std::span<const Row>, ColumnScratch&,
                                          StopToken&) const {
    return {};
  }
  virtual bool binned() const { return false; }
  // The bin of every row of the table, if the columns are binned.
  virtual const std::uint8_t* bins(const ColumnPart&) const { return nullptr; }
  // The middle between the values next to a border between bins, if every bin of the column holds one value.
  virtual std::optional<double> middle(const ColumnPart&, const BinBorder&) const { return {}; }
  // The values of the two bins next to a border in sorted order, all smaller and all larger ones tied.
  virtual ColumnView around(const ColumnPart&, std::span<const Row>, const BinBorder&, ColumnScratch&,
                            StopToken&) const {
    return {};
  }
};

class ListedColumns final : public Columns {
 public:
  // All columns of a dense table, restricted to `rows` (ascending).
  static std::unique_ptr<ListedColumns> dense(View2D<const float> x, std::span<const Row> rows, int threads,
                                              StopToken& stop);
  // Those columns of another, whole table, restricted to some rows: nothing is sorted again.
  std::unique_ptr<Columns> restricted(std::span<const Row> rows, const RowBits& kept, int threads,
                                      StopToken& stop) const;
  // All columns of a sparse table in compressed-column form; `kept[row]` is 0 for rows to leave out. Stored
  // zeros are dropped.
  static std::unique_ptr<ListedColumns> sparse(std::span<const float> data,
                                               std::span<const std::int32_t> indices,
                                               std::span<const std::int32_t> indptr,
                                               std::span<const std::uint8_t> kept, int threads,
                                               StopToken& stop);

  std::vector<ColumnPart> root() const override { return root_; }
  ColumnView sorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                    StopToken& stop) const override;
  ColumnView unsorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                      StopToken& stop) const override {
    return sorted(part, rows, scratch, stop);
  }
  Index cut(const ColumnView& view, double threshold, ColumnScratch& scratch) const override;
  Index divide_rows(const ColumnPart& part, std::span<Row> rows, const SideRule& rule, RowBits& goes_left,
                    Row* right) const override;
  bool divides() const override { return true; }
  void divide(const ColumnPart& part, const RowBits& goes_left, ColumnPart* left, ColumnPart* right,
              ColumnScratch& scratch) override;
  bool known_constant(const ColumnPart& part, Index node_rows) const override {
    return view(part, node_rows).constant();
  }

 private:
  ListedColumns(std::size_t entries, Index columns)
      : entries_(std::make_unique_for_overwrite<Entry[]>(entries)),
        root_(static_cast<std::size_t>(columns)) {}
  ColumnView view(const ColumnPart& part, Index node_rows) const;

  std::unique_ptr<Entry[]> entries_;
  std::vector<ColumnPart> root_;
};

class GatheredColumns final : public Columns {
 public:
  // A dense table; kept by reference if its columns are contiguous, copied otherwise.
  GatheredColumns(View2D<const float> x, int threads, StopToken& stop);

  std::vector<ColumnPart> root() const override;
  ColumnView sorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                    StopToken& stop) const override;
  ColumnView unsorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                      StopToken& stop) const override;
  Index cut(const ColumnView& view, double threshold, ColumnScratch& scratch) const override;
  Index divide_rows(const ColumnPart& part, std::span<Row> rows, const SideRule& rule, RowBits& goes_left,
                    Row* right) const override;
  std::optional<RowValues> values(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                                  StopToken& stop) const override;
  bool divides() const override { return false; }
  // The table by columns.
  View2D<const float> table() const { return x_; }

 private:
  View2D<const float> x_;
  std::unique_ptr<float[]> copy_;
};

// Moves the rows for which goes(row) holds to the front, both sides in their order. How many there are.
template <class Goes>
Index divide_in_order(std::span<Row> rows, Row* right, Goes&& goes) {
  Index left = 0, others = 0;
  for (const Row row : rows) {
    const Index is_left = goes(row);
    rows[left] = row;
    right[others] = row;
    left += is_left;
    others += 1 - is_left;
  }
  std::copy_n(right, others, rows.data() + left);
  return left;
}

// The same by the values of a column.
Index divide_by_values(const float* values, std::span<Row> rows, const SideRule& rule, Row* right);

// The values of some rows in any order, missing ones at the end.
ColumnView gather_values(const float* values, std::span<const Row> rows, ColumnScratch& scratch,
                         StopToken& stop);

// Sorts entries by value, NaN last, equal values by row; their rows must be ascending. After a stop they are
// in some order.
void sort_entries(Entry* entries, Index count, ColumnScratch& scratch, StopToken& stop);

}  // namespace certus::trees
