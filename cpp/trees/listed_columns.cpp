#include <algorithm>

#include "core/parallel.hpp"
#include "trees/columns.hpp"

namespace certus::trees {
namespace {

// How many entries at the end of a sorted list are NaN.
std::uint32_t count_missing(const Entry* entries, std::uint32_t count) {
  const Entry* first = std::partition_point(entries, entries + count,
                                            [](const Entry& entry) { return !std::isnan(entry.value); });
  return static_cast<std::uint32_t>(entries + count - first);
}

// Moves the entries of one side to the front and forgets the others. Returns how many there are.
std::uint32_t keep_side(Entry* entries, std::uint32_t count, const RowBits& goes_left, bool left) {
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Entry entry = entries[i];
    entries[place] = entry;
    place += static_cast<std::uint32_t>(goes_left[entry.row] == left);
  }
  return place;
}

// Moves the entries that go left to the front, stably. Returns how many there are.
std::uint32_t keep_both(Entry* entries, std::uint32_t count, const RowBits& goes_left,
                        std::vector<Entry>& scratch) {
  if (scratch.size() < count) scratch.resize(count);
  std::uint32_t left = 0, right = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Entry entry = entries[i];
    const auto goes = static_cast<std::uint32_t>(goes_left[entry.row]);
    entries[left] = entry;
    scratch[right] = entry;
    left += goes;
    right += 1 - goes;
  }
  std::copy_n(scratch.data(), right, entries + left);
  return left;
}

}  // namespace

std::unique_ptr<ListedColumns> ListedColumns::dense(View2D<const float> x, std::span<const Row> rows,
                                                    int threads, StopToken& stop) {
  // Rows of a row-major table are read for several columns at once, so that a cache line serves all of them.
  constexpr Index group = 16;
  const auto count = static_cast<Index>(rows.size());
  std::unique_ptr<ListedColumns> columns(new ListedColumns(static_cast<std::size_t>(count * x.cols), x.cols));
  parallel_ranges(x.cols, x.col_major() ? 1 : group, threads, stop, [&](Index first, Index last, int) {
    Entry* start = columns->entries_.get() + first * count;
    const bool complete = for_pieces(count, stop, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Row row = rows[i];
        const float* source = x.row(row);
        for (Index column = first; column < last; ++column) {
          start[(column - first) * count + i] = {source[column * x.col_stride], row};
        }
      }
    });
    if (!complete) return;
    ColumnScratch scratch;
    for (Index column = first; column < last && !stop.poll(); ++column) {
      Entry* entries = columns->entries_.get() + column * count;
      sort_entries(entries, count, scratch, stop);
      const auto length = static_cast<std::uint32_t>(count);
      columns->root_[column] = {column * count, length, count_missing(entries, length),
                                static_cast<std::uint32_t>(column)};
    }
  });
  return columns;
}

std::unique_ptr<Columns> ListedColumns::restricted(std::span<const Row> rows, const RowBits& kept,
                                                   int threads, StopToken& stop) const {
  const auto count = static_cast<Index>(rows.size());
  const auto width = static_cast<Index>(root_.size());
  std::unique_ptr<ListedColumns> columns(new ListedColumns(static_cast<std::size_t>(count * width), width));
  parallel_for(width, threads, stop, [&](Index column, int) {
    const ColumnPart& whole = root_[column];
    const Entry* from = entries_.get() + whole.begin;
    Entry* to = columns->entries_.get() + column * count;
    for (std::uint32_t i = 0; i < whole.count; ++i) {
      if (kept[from[i].row]) *to++ = from[i];
    }
    const auto length = static_cast<std::uint32_t>(count);
    columns->root_[column] = {column * count, length,
                              whole.missing > 0 ? count_missing(to - count, length) : 0,
                              static_cast<std::uint32_t>(column)};
  });
  return columns;
}

std::unique_ptr<ListedColumns> ListedColumns::sparse(std::span<const float> data,
                                                     std::span<const std::int32_t> indices,
                                                     std::span<const std::int32_t> indptr,
                                                     std::span<const std::uint8_t> kept, int threads,
                                                     StopToken& stop) {
  const auto width = static_cast<Index>(indptr.size()) - 1;
  std::unique_ptr<ListedColumns> columns(new ListedColumns(data.size(), width));
  parallel_ranges(width, 64, threads, stop, [&](Index first, Index last, int) {
    ColumnScratch scratch;
    for (Index column = first; column < last && !stop.poll(); ++column) {
      Entry* entries = columns->entries_.get() + indptr[column];
      Index length = 0;
      for (std::int32_t i = indptr[column]; i < indptr[column + 1]; ++i) {
        if (data[i] != 0.0f && kept[indices[i]]) entries[length++] = {data[i], static_cast<Row>(indices[i])};
      }
      sort_entries(entries, length, scratch, stop);
      columns->root_[column] = {indptr[column], static_cast<std::uint32_t>(length), 0,
                                static_cast<std::uint32_t>(column)};
    }
  });
  return columns;
}

ColumnView ListedColumns::view(const ColumnPart& part, Index node_rows) const {
  ColumnView view;
  view.entries = entries_.get() + part.begin;
  view.missing = part.missing;
  view.listed = static_cast<Index>(part.count) - view.missing;
  view.zeros = node_rows - static_cast<Index>(part.count);
  if (view.listed > 0) {
    view.low = view.entries[0].value;
    view.high = view.entries[view.listed - 1].value;
  }
  if (view.zeros > 0) {
    view.zero_at = std::partition_point(view.entries, view.entries + view.listed,
                                        [](const Entry& entry) { return entry.value < 0.0f; }) -
                   view.entries;
    view.low = std::min(view.low, 0.0f);
    view.high = std::max(view.high, 0.0f);
  }
  return view;
}

ColumnView ListedColumns::sorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch&,
                                 StopToken&) const {
  ColumnView column = view(part, static_cast<Index>(rows.size()));
  column.rows = rows;
  return column;
}

Index ListedColumns::cut(const ColumnView& view, double threshold, ColumnScratch&) const {
  return std::partition_point(view.entries, view.entries + view.listed,
                              [&](const Entry& entry) { return entry.value <= threshold; }) -
         view.entries;
}

Index ListedColumns::divide_rows(const ColumnPart& part, std::span<Row> rows, const SideRule& rule,
                                 RowBits& goes_left, Row* right) const {
  if (rows.size() > part.count) {
    for (const Row row : rows) goes_left.set(row, rule(0.0f));
  }
  const Entry* entries = entries_.get() + part.begin;
  const std::uint32_t listed = part.count - part.missing;
  for (std::uint32_t i = 0; i < listed; ++i) goes_left.set(entries[i].row, rule(entries[i].value));
  for (std::uint32_t i = listed; i < part.count; ++i) goes_left.set(entries[i].row, rule.missing_left);
  return divide_in_order(rows, right, [&](Row row) { return goes_left[row]; });
}

void ListedColumns::divide(const ColumnPart& part, const RowBits& goes_left, ColumnPart* left,
                           ColumnPart* right, ColumnScratch& scratch) {
  Entry* entries = entries_.get() + part.begin;
  const auto give = [&](ColumnPart* child, std::uint32_t offset, std::uint32_t count) {
    const std::uint32_t missing = part.missing > 0 ? count_missing(entries + offset, count) : 0;
    *child = {part.begin + offset, count, missing, part.feature};
  };
  if (left != nullptr && right != nullptr) {
    const std::uint32_t count = keep_both(entries, part.count, goes_left, scratch.right);
    give(left, 0, count);
    give(right, count, part.count - count);
  } else {
    ColumnPart* child = left != nullptr ? left : right;
    give(child, 0, keep_side(entries, part.count, goes_left, left != nullptr));
  }
}

}  // namespace certus::trees
