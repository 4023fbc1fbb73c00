// Columns whose values were replaced by the numbers of their bins, one byte each. A node's part is put into
// order by counting, or summed up per bin: the histogram way of finding splits. Views hold the numbers of
// bins instead of values. The best border between two bins is then moved to the best border between the
// values of these bins, for otherwise all trees of a forest would share a few thresholds, and their mean be
// less smooth.
#pragma once

#include "trees/columns.hpp"

namespace certus::trees {

inline constexpr int missing_bin = 255;

// A table by columns, and its bins: larger values are in later bins.
struct BinnedView {
  Index rows = 0;
  Index columns = 0;
  const std::uint8_t* by_column = nullptr;  // columns x rows; missing_bin for missing values
  View2D<const float> values;               // columns are contiguous
  // per column: the value of its first bin if every bin holds one whole number, each the next; else NaN
  const float* lowest = nullptr;

  const std::uint8_t* column(Index j) const { return by_column + j * rows; }
};

class BinnedColumns final : public Columns {
 public:
  explicit BinnedColumns(const BinnedView& table) : table_(table) {}

  std::vector<ColumnPart> root() const override;
  ColumnView sorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                    StopToken& stop) const override;
  ColumnView unsorted(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                      StopToken& stop) const override {
    return sorted(part, rows, scratch, stop);
  }
  Index cut(const ColumnView& view, double threshold, ColumnScratch& scratch) const override;
  Index divide_rows(const ColumnPart& part, std::span<Row> rows, const SideRule& rule, RowBits&,
                    Row* right) const override {
    return divide_by_values(table_.values.col(part.feature), rows, rule, right);
  }
  ColumnView by_value(const ColumnPart& part, std::span<const Row> rows, ColumnScratch& scratch,
                      StopToken& stop) const override;
  bool divides() const override { return false; }
  bool binned() const override { return true; }
  const std::uint8_t* bins(const ColumnPart& part) const override { return table_.column(part.feature); }
  std::optional<double> middle(const ColumnPart& part, const BinBorder& border) const override;
  ColumnView around(const ColumnPart& part, std::span<const Row> rows, const BinBorder& border,
                    ColumnScratch& scratch, StopToken& stop) const override;

 private:
  BinnedView table_;
};

}  // namespace certus::trees
