#include "boosting/binning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

constexpr Index rows_per_block = 2048;

// Values with the weight up to and including each of them.
struct Sorted {
  std::vector<double> values;
  std::vector<double> reached;  // empty: every value weighs 1
};

template <class T>
Sorted sorted_column(View2D<const T> x, Index column, std::span<const Row> rows,
                     std::span<const double> weights) {
  Sorted sorted;
  if (weights.empty()) {
    sorted.values.reserve(rows.size());
    for (const Row row : rows) {
      const double value = static_cast<double>(x(row, column));
      if (!std::isnan(value)) sorted.values.push_back(value);
    }
    std::sort(sorted.values.begin(), sorted.values.end());
    return sorted;
  }
  std::vector<std::pair<double, double>> pairs;
  for (const Row row : rows) {
    const double value = static_cast<double>(x(row, column));
    if (!std::isnan(value) && weights[row] > 0.0) pairs.emplace_back(value, weights[row]);
  }
  std::sort(pairs.begin(), pairs.end());
  double total = 0.0;
  for (const auto& [value, weight] : pairs) {
    total += weight;
    sorted.values.push_back(value);
    sorted.reached.push_back(total);
  }
  return sorted;
}

// The smallest value that has at least `share` of the weight at or below it, averaged with the next one if it
// is exactly the share.
double quantile(const Sorted& sorted, double share) {
  const Index last = static_cast<Index>(sorted.values.size()) - 1;
  Index at = 0;
  bool exact = false;
  if (sorted.reached.empty()) {
    const double wanted = share * static_cast<double>(last + 1);
    const double whole = std::round(wanted);
    exact = std::abs(wanted - whole) < 1e-9 * whole;
    at = static_cast<Index>(exact ? whole : std::ceil(wanted)) - 1;
  } else {
    const double wanted = share * sorted.reached.back();
    const double slack = 1e-9 * wanted;
    at = std::lower_bound(sorted.reached.begin(), sorted.reached.end(), wanted - slack) -
         sorted.reached.begin();
    at = std::min(at, last);
    exact = std::abs(sorted.reached[at] - wanted) <= slack;
  }
  at = std::clamp<Index>(at, 0, last);
  const Index next = std::min(at + 1, last);
  return exact ? 0.5 * sorted.values[at] + 0.5 * sorted.values[next] : sorted.values[at];
}

Index write_edges(const Sorted& sorted, int max_bins, double* edges) {
  const auto& values = sorted.values;
  Index distinct = values.empty() ? 0 : 1;
  for (std::size_t i = 1; i < values.size() && distinct <= max_bins; ++i)
    distinct += values[i] != values[i - 1];
  Index count = 0;
  const auto add = [&](double edge) {
    edge = std::min(edge, 1e300);  // infinity is the border between all values and the missing ones
    if (count == 0 || edge > edges[count - 1]) edges[count++] = edge;
  };
  if (distinct <= max_bins) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i] != values[i - 1]) {
        const double middle = 0.5 * values[i - 1] + 0.5 * values[i];
        add(middle < values[i] ? middle : values[i - 1]);  // rounding, and infinities
      }
    }
  } else {
    for (int i = 1; i < max_bins; ++i) add(quantile(sorted, static_cast<double>(i) / max_bins));
  }
  return count;
}

template <class T>
Bin bin_of(const double* edges, Index count, T value) {
  if (std::isnan(value)) return missing_bin;
  const double x = static_cast<double>(value);
  Index low = 0;
  for (Index length = count; length > 0;) {  // the number of edges below x, without branches
    const Index half = length / 2;
    const bool above = edges[low + half] < x;
    low = above ? low + half + 1 : low;
    length = above ? length - half - 1 : half;
  }
  return static_cast<Bin>(low);
}

template <class T>
Bin category_bin(Index count, T value) {
  return value >= T(0) && value < static_cast<T>(count) ? static_cast<Bin>(value) : Bin(missing_bin);
}

}  // namespace

template <class T>
void find_edges(View2D<const T> x, std::span<const Row> rows, std::span<const double> weights,
                std::span<const std::uint8_t> skip, int max_bins, View2D<double> edges,
                std::span<std::uint16_t> counts, int threads, StopToken& stop) {
  parallel_for(x.cols, threads, stop, [&](Index column, int) {
    counts[column] = 0;
    if (skip[column] || stop.poll()) return;
    const Sorted sorted = sorted_column(x, column, rows, weights);
    counts[column] = static_cast<std::uint16_t>(write_edges(sorted, max_bins, edges.row(column)));
  });
}

template <class T>
void bin_table(View2D<const T> x, View2D<const double> edges, std::span<const std::uint16_t> counts,
               std::span<const std::uint8_t> categorical, Bin* by_column, Bin* by_row,
               std::span<std::uint8_t> has_missing, int threads, StopToken& stop) {
  const auto groups = column_groups(x.cols);
  const Index blocks = block_count(x.rows, rows_per_block);
  std::vector<std::uint8_t> missing(static_cast<std::size_t>(blocks * x.cols), 0);
  parallel_for(blocks, threads, stop, [&](Index block, int) {
    if (stop.poll()) return;
    const Index first = block * rows_per_block, last = std::min(x.rows, first + rows_per_block);
    for (const ColumnGroup& group : groups) {
      for (Index column = group.first; column < group.last; ++column) {
        Bin* out = by_column + column * x.rows;
        Bin* beside = by_row + x.rows * group.first + (column - group.first);
        const double* borders = edges.row(column);
        const Index count = counts[column];
        bool any = false;
        for (Index row = first; row < last; ++row) {
          const T value = x(row, column);
          const Bin bin = categorical[column] ? category_bin(count, value) : bin_of(borders, count, value);
          any |= bin == missing_bin;
          out[row] = bin;
          beside[row * group.width()] = bin;
        }
        missing[block * x.cols + column] = any;
      }
    }
  });
  for (Index column = 0; column < x.cols; ++column) {
    has_missing[column] = 0;
    for (Index block = 0; block < blocks; ++block) has_missing[column] |= missing[block * x.cols + column];
  }
}

#define CERTUS_INSTANTIATE(T)                                                                               \
  template void find_edges<T>(View2D<const T>, std::span<const Row>, std::span<const double>,               \
                              std::span<const std::uint8_t>, int, View2D<double>, std::span<std::uint16_t>, \
                              int, StopToken&);                                                             \
  template void bin_table<T>(View2D<const T>, View2D<const double>, std::span<const std::uint16_t>,         \
                             std::span<const std::uint8_t>, Bin*, Bin*, std::span<std::uint8_t>, int,       \
                             StopToken&);
CERTUS_INSTANTIATE(float)
CERTUS_INSTANTIATE(double)
#undef CERTUS_INSTANTIATE

}  // namespace certus::boosting
