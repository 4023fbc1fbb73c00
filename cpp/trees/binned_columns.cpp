#include "trees/binned_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace certus::trees {

std::vector<ColumnPart> BinnedColumns::root() const {
  std::vector<ColumnPart> parts(static_cast<std::size_t>(table_.columns));
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].feature = static_cast<std::uint32_t>(i);
  return parts;
}

ColumnView BinnedColumns::sorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                                 StopToken& stop) const {
  const auto count = static_cast<Index>(rows.size());
  if (scratch.entries.size() < rows.size()) scratch.entries.resize(rows.size());
  if (scratch.bins.size() < rows.size()) scratch.bins.resize(rows.size());
  const std::uint8_t* bins = table_.column(part.feature);
  std::array<std::uint32_t, missing_bin + 1> places{};
  const bool counted = for_pieces(count, stop, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const std::uint8_t bin = bins[rows[i]];
      scratch.bins[i] = bin;
      ++places[bin];
    }
  });
  if (!counted) return {};
  ColumnView view;
  view.missing = places[missing_bin];
  view.listed = count - view.missing;
  view.entries = scratch.entries.data();
  view.rows = rows;
  int low = 0, high = missing_bin - 1;
  while (low < high && places[low] == 0) ++low;
  while (high > low && places[high] == 0) --high;
  view.low = static_cast<float>(low);
  view.high = static_cast<float>(high);
  if (view.constant()) return view;
  std::uint32_t start = 0;
  for (auto& place : places) start += std::exchange(place, start);
  const bool placed = for_pieces(count, stop, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const std::uint8_t bin = scratch.bins[i];
      scratch.entries[places[bin]++] = {static_cast<float>(bin), rows[i]};
    }
  });
  if (!placed) return {};
  for (Index i = view.listed; i < count; ++i)
    scratch.entries[i].value = std::numeric_limits<float>::quiet_NaN();
  return view;
}

Index BinnedColumns::cut(const ColumnView& view, double threshold, ColumnScratch&) const {
  return std::partition_point(view.entries, view.entries + view.listed,
                              [&](const Entry& entry) { return entry.value <= threshold; }) -
         view.entries;
}

ColumnView BinnedColumns::by_value(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                                   StopToken& stop) const {
  const ColumnView view = gather_values(table_.values.col(part.feature), rows, scratch, stop);
  if (!view.constant()) sort_entries(scratch.entries.data(), view.listed, scratch, stop);
  return view;
}

std::optional<double> BinnedColumns::middle(const ColumnPart& part, const BinBorder& border) const {
  const double lowest = table_.lowest[part.feature];
  if (std::isnan(lowest)) return std::nullopt;
  return (lowest + border.below) / 2.0 + (lowest + border.above) / 2.0;
}

ColumnView BinnedColumns::around(const ColumnPart& part, std::span<const Row> rows, const BinBorder& border,
                                 ColumnScratch& scratch, StopToken& stop) const {
  const std::uint8_t* bins = table_.column(part.feature);
  const float* values = table_.values.col(part.feature);
  if (scratch.entries.size() < rows.size()) scratch.entries.resize(rows.size());
  scratch.right.clear();   // the values of the two bins
  scratch.higher.clear();  // larger ones, then missing ones
  ColumnView view;
  float lowest = -std::numeric_limits<float>::infinity(), highest = -lowest;
  Index lower = 0;
  const bool complete = for_pieces(static_cast<Index>(rows.size()), stop, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Row row = rows[i];
      const int bin = bins[row];
      const float value = values[row];
      if (bin < border.below) {
        scratch.entries[lower++] = {value, row};
        lowest = std::max(lowest, value);
      } else if (bin <= border.above) {
        scratch.right.push_back({value, row});
      } else {
        scratch.higher.push_back({value, row});
        view.missing += bin == missing_bin;
        if (bin != missing_bin) highest = std::min(highest, value);
      }
    }
  });
  if (!complete) return {};
  for (Index i = 0; i < lower; ++i) scratch.entries[i].value = lowest;
  sort_entries(scratch.right.data(), static_cast<Index>(scratch.right.size()), scratch, stop);
  Entry* place = std::copy(scratch.right.begin(), scratch.right.end(), scratch.entries.data() + lower);
  for (const Entry& entry : scratch.higher) {
    if (!std::isnan(entry.value)) *place++ = {highest, entry.row};
  }
  for (const Entry& entry : scratch.higher) {
    if (std::isnan(entry.value)) *place++ = entry;
  }
  view.entries = scratch.entries.data();
  view.listed = static_cast<Index>(rows.size()) - view.missing;
  view.rows = rows;
  view.low = view.entries[0].value;
  view.high = view.entries[view.listed - 1].value;
  return view;
}

}  // namespace certus::trees
