// Histograms: for every column and bin the sums of gradients, hessians and rows of one node.
#pragma once

#include <span>
#include <vector>

#include "boosting/grid.hpp"

namespace certus::boosting {

struct Sums {
  double gradient = 0.0, hessian = 0.0, rows = 0.0;  // rows as a double: all sums here are exact

  Sums& operator+=(const Sums& other) {
    gradient += other.gradient;
    hessian += other.hessian;
    rows += other.rows;
    return *this;
  }
  friend Sums operator-(const Sums& a, const Sums& b) {
    return {a.gradient - b.gradient, a.hessian - b.hessian, a.rows - b.rows};
  }
};

// columns x 256 sums.
using Histogram = std::vector<Sums>;

class HistogramBuilder {
 public:
  HistogramBuilder(const BinnedTable& table, int threads);

  // The histogram of the given rows.
  void build(std::span<const Entry> entries, const Grid& grid, Histogram& out, StopToken& stop);

  // out = whole - part, column by column.
  void subtract(const Histogram& whole, const Histogram& part, Index column, Histogram& out) const;

 private:
  void add_rows(std::span<const Entry> entries, const Grid& grid, const ColumnGroup& group,
                std::vector<std::uint64_t>& words, Histogram& sums, StopToken& stop) const;
  void add_coarse(std::span<const Entry> entries, const ColumnGroup& group, std::uint64_t* words) const;
  void flush(const Grid& grid, const ColumnGroup& group, std::uint64_t* words, Histogram& sums) const;
  void add_fine(std::span<const Entry> entries, const Grid& grid, const ColumnGroup& group,
                Histogram& sums) const;
  void clear(const ColumnGroup& group, Histogram& sums) const;

  const BinnedTable& table_;
  std::vector<ColumnGroup> groups_;
  std::vector<std::vector<std::uint64_t>> words_;  // per worker: packed sums of one group, zero between uses
  std::vector<Histogram> parts_;  // of further parts of the rows, where threads outnumber groups
  int threads_;
};

}  // namespace certus::boosting
