#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "core/parallel.hpp"
#include "trees/columns.hpp"

namespace certus::trees {

GatheredColumns::GatheredColumns(View2D<const float> x, int threads, StopToken& stop) : x_(x) {
  if (x.col_major()) return;
  constexpr Index group = 16;  // columns that one cache line of a row serves
  copy_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(x.rows * x.cols));
  parallel_ranges(x.cols, group, threads, stop, [&](Index first, Index last, int) {
    for_pieces(x.rows, stop, [&](Index first_row, Index last_row) {
      for (Index row = first_row; row < last_row; ++row) {
        const float* source = x.row(row);
        for (Index column = first; column < last; ++column) {
          copy_[column * x.rows + row] = source[column * x.col_stride];
        }
      }
    });
  });
  x_ = View2D<const float>(copy_.get(), x.rows, x.cols, 1, x.rows);
}

std::vector<ColumnPart> GatheredColumns::root() const {
  std::vector<ColumnPart> parts(static_cast<std::size_t>(x_.cols));
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].feature = static_cast<std::uint32_t>(i);
  return parts;
}

ColumnView gather_values(const float* values, std::span<const Row> rows, ColumnScratch& scratch,
                         StopToken& stop) {
  if (scratch.entries.size() < rows.size()) scratch.entries.resize(rows.size());
  ColumnView view;
  float low = std::numeric_limits<float>::infinity(), high = -low;
  Index back = static_cast<Index>(rows.size());  // missing values are put at the end, from there to the front
  const bool complete = for_pieces(back, stop, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Row row = rows[i];
      const float value = values[row];
      if (std::isnan(value)) {
        scratch.entries[--back] = {value, row};
        continue;
      }
      scratch.entries[view.listed++] = {value, row};
      low = std::min(low, value);
      high = std::max(high, value);
    }
  });
  if (!complete) return {};
  view.missing = static_cast<Index>(rows.size()) - view.listed;
  view.entries = scratch.entries.data();
  view.rows = rows;
  view.low = low;
  view.high = high;
  return view;
}

std::optional<RowValues> GatheredColumns::values(const ColumnPart& part, std::span<const Row> rows,
                                                 ColumnScratch& scratch, StopToken& stop) const {
  constexpr Index width = 8;  // several smallest values at once: each waits for the one before
  if (scratch.values.size() < rows.size() + width) scratch.values.resize(rows.size() + width);
  const float* column = x_.col(part.feature);
  std::array<float, width> low, high;
  std::array<std::int32_t, width> missing{};
  low.fill(std::numeric_limits<float>::infinity());
  high.fill(-std::numeric_limits<float>::infinity());
  const auto look = [&](const float* piece, Index lanes) {
    for (Index lane = 0; lane < lanes; ++lane) {  // comparisons with NaN are false
      low[lane] = piece[lane] < low[lane] ? piece[lane] : low[lane];
      high[lane] = piece[lane] > high[lane] ? piece[lane] : high[lane];
      missing[lane] += piece[lane] != piece[lane];
    }
  };
  const auto count = static_cast<Index>(rows.size());
  const bool complete = for_pieces(count, stop, [&](Index first, Index last) {
    float* to = scratch.values.data();
    for (Index i = first; i < last; ++i) to[i] = column[rows[i]];
    const Index whole = last - (last - first) % width;
    for (Index i = first; i < whole; i += width) look(to + i, width);
    look(to + whole, last - whole);
  });
  if (!complete) return RowValues{};
  RowValues found{scratch.values.data(), count, 0, low[0], high[0]};
  for (Index lane = 0; lane < width; ++lane) {
    found.low = std::min(found.low, low[lane]);
    found.high = std::max(found.high, high[lane]);
    found.missing += missing[lane];
  }
  return found;
}

ColumnView GatheredColumns::unsorted(const ColumnPart& part, std::span<const Row> rows,
                                     ColumnScratch& scratch, StopToken& stop) const {
  return gather_values(x_.col(part.feature), rows, scratch, stop);
}

ColumnView GatheredColumns::sorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                                   StopToken& stop) const {
  const ColumnView view = unsorted(part, rows, scratch, stop);
  if (!view.constant()) sort_entries(scratch.entries.data(), view.listed, scratch, stop);
  return view;
}

Index GatheredColumns::cut(const ColumnView& view, double threshold, ColumnScratch& scratch) const {
  Entry* entries = scratch.entries.data();
  Index left = 0;
  for (Index i = 0; i < view.listed;
       ++i) {  // every entry changes places with the first that does not go left
    const Entry entry = entries[i];
    entries[i] = entries[left];
    entries[left] = entry;
    left += static_cast<Index>(entry.value <= threshold);
  }
  return left;
}

Index GatheredColumns::divide_rows(const ColumnPart& part, std::span<Row> rows, const SideRule& rule,
                                   RowBits&, Row* right) const {
  return divide_by_values(x_.col(part.feature), rows, rule, right);
}

Index divide_by_values(const float* values, std::span<Row> rows, const SideRule& rule, Row* right) {
  if (rule.left_by_code != nullptr) {
    return divide_in_order(rows, right, [&](Row row) {
      const float value = values[row];
      return std::isnan(value) ? rule.missing_left : rule(value);
    });
  }
  const double threshold = rule.threshold;
  const unsigned missing = rule.missing_left;
  return divide_in_order(
      rows, right, [=](Row row) {  // without branches: which way a row goes cannot be guessed
        const float value = values[row];
        return static_cast<unsigned>(value <= threshold) | (static_cast<unsigned>(value != value) & missing);
      });
}

}  // namespace certus::trees
