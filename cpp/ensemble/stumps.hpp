// The stump with the smallest weighted error: one column, one threshold, one class on each side. The columns
// are sorted once; each search is one pass over them, O(rows x columns).
//
// Two classes: with A = (weight of class 1) - (weight of class 0) on the left and W0, W1 the totals, the
// stump that says 0 on the left and 1 on the right errs with weight W0 + A, the opposite one with W1 - A. So
// the smallest and the largest A over the borders of a column are enough.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "trees/columns.hpp"

namespace certus::ensemble {

struct Stump {
  std::int64_t feature = -1;  // -1: no split is better than saying the same class everywhere
  double threshold = 0.0;
  std::vector<double> left, right;  // weight of each class on each side
};

class StumpSearch {
 public:
  // `columns` lists the given rows (ascending) of a table of `features` columns, without missing values.
  StumpSearch(const trees::ListedColumns& columns, std::span<const trees::Row> rows,
              std::span<const std::uint32_t> labels, Index classes, int threads, StopToken& stop);

  // Of equally good stumps that of the first column and the smallest threshold.
  Stump best(std::span<const double> weights, int threads, StopToken& stop) const;

 private:
  // One column: its rows in sorted order, with a mark where the next value is different.
  struct Column {
    std::vector<std::uint32_t> order;
    std::vector<float> values;
    Index zeros = 0;    // rows that a sparse column does not list
    Index zero_at = 0;  // how many listed rows come before them
  };
  struct Found {
    double error = 0.0;
    double threshold = 0.0;
    Index left = 0;  // listed rows on the left
    bool zeros_left = false;
  };
  struct Totals {
    std::vector<double> classes;
    std::vector<double> signed_weights;  // two classes: +w for class 1, -w for class 0
    double tie = 0.0;
  };
  template <class Visit>
  static void walk(const Column& column, Visit&& visit);
  Found search_two(const Column& column, const Totals& totals, double bar) const;
  Found search_many(const Column& column, const Totals& totals, std::span<const double> weights,
                    double bar) const;
  Stump describe(Index feature, const Found& found, std::span<const double> weights) const;

  std::vector<Column> columns_;
  std::vector<trees::Row> rows_;
  std::vector<std::uint32_t> labels_;
  Index classes_;
};

}  // namespace certus::ensemble
