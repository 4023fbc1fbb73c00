#include "boosting/binning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "boosting/sort_values.hpp"
#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

constexpr Index rows_per_block = 512;
constexpr Index lanes = 16;

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
    sort_values(sorted.values);
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

// Shares of the weight at which bins end. With fine ends the outermost bins hold one row and each further one
// at most half of what lies beyond it, up to equal bins in the middle: forests owe part of their accuracy to
// cuts that take off a few extreme rows (Ishwaran 2015).
std::vector<double> bin_ends(int max_bins, double rows, bool fine_ends) {
  std::vector<double> ends;
  if (!fine_ends || max_bins < 16) {
    for (int i = 1; i < max_bins; ++i) ends.push_back(static_cast<double>(i) / max_bins);
    return ends;
  }
  const auto lower_half = [&](double step) {
    std::vector<double> half;
    for (double end = 1.0 / rows; end < 0.5; end += std::clamp(0.5 * end, 1.0 / rows, step))
      half.push_back(end);
    return half;
  };
  const auto wanted = static_cast<std::size_t>((max_bins - 1) / 2);
  double narrow = 0.5 / rows, wide = 0.5;  // bisection for the width of the bins in the middle
  for (int i = 0; i < 50; ++i) {
    const double step = 0.5 * (narrow + wide);
    (lower_half(std::max(step, 1.0 / rows)).size() > wanted ? narrow : wide) = step;
  }
  ends = lower_half(std::max(wide, 1.0 / rows));
  for (std::size_t i = ends.size(); i-- > 0;) ends.push_back(1.0 - ends[i]);
  return ends;
}

// The border between two neighboring values: their middle, unless rounding or infinities forbid.
double border(double low, double high) {
  const double middle = 0.5 * low + 0.5 * high;
  return middle < high ? middle : low;
}

// Runs of equal values with their weights, one after the other.
struct Runs {
  const Sorted& sorted;

  // One past the run that begins at `first`.
  std::size_t end(std::size_t first) const {
    std::size_t last = first + 1;
    while (last < sorted.values.size() && sorted.values[last] == sorted.values[first]) ++last;
    return last;
  }
  double weight(std::size_t first, std::size_t last) const {
    if (sorted.reached.empty()) return static_cast<double>(last - first);
    return sorted.reached[last - 1] - (first > 0 ? sorted.reached[first - 1] : 0.0);
  }
  double total() const { return weight(0, sorted.values.size()); }
};

// Bins where some values are so frequent that quantiles would fall on them again and again: each of them has
// its own bin, and the other bins are shared out among the other values, so that rare values keep narrow
// bins. `add` takes the borders; false if no value is that frequent.
template <class Add>
bool add_around_frequent_values(const Sorted& sorted, int max_bins, Add add) {
  const Runs runs{sorted};
  const std::size_t count = sorted.values.size();
  const double frequent = runs.total() / max_bins;
  double rest = 0.0;
  int bins = max_bins;
  for (std::size_t first = 0, last; first < count; first = last) {
    last = runs.end(first);
    const double weight = runs.weight(first, last);
    weight >= frequent ? static_cast<void>(--bins) : static_cast<void>(rest += weight);
  }
  if (bins == max_bins) return false;
  double wanted = rest / std::max(bins, 1), reached = 0.0;
  for (std::size_t first = 0, last; first < count; first = last) {
    last = runs.end(first);
    if (last == count) break;
    const double weight = runs.weight(first, last);
    const bool alone = weight >= frequent, alone_next = runs.weight(last, runs.end(last)) >= frequent;
    if (!alone) {
      reached += weight;
      rest -= weight;
    }
    if (!alone && reached < wanted && !(alone_next && reached >= 0.5 * wanted)) continue;
    add(border(sorted.values[last - 1], sorted.values[last]));
    if (!alone) {
      bins = std::max(bins - 1, 1);
      wanted = rest / bins;
    }
    reached = 0.0;
  }
  return true;
}

Index write_edges(const Sorted& sorted, int max_bins, bool fine_ends, double* edges) {
  const auto& values = sorted.values;
  Index distinct = values.empty() ? 0 : 1;
  for (std::size_t i = 1; i < values.size() && distinct <= max_bins; ++i)
    distinct += values[i] != values[i - 1];
  Index count = 0;
  const auto add = [&](double edge) {
    edge = std::min(edge, 1e300);  // infinity is the border between all values and the missing ones
    if (count < max_bins - 1 && (count == 0 || edge > edges[count - 1])) edges[count++] = edge;
  };
  if (distinct <= max_bins) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i] != values[i - 1]) {
        add(border(values[i - 1], values[i]));
      }
    }
  } else if (fine_ends || !add_around_frequent_values(sorted, max_bins, add)) {
    const auto rows = static_cast<double>(values.size());
    for (const double share : bin_ends(max_bins, rows, fine_ends)) add(quantile(sorted, share));
  }
  return count;
}

// How many edges lie below each of `lanes` values: eight halving steps over 255 edges (the rest is infinite),
// side by side so that the steps of different values overlap.
template <class T, class Count>
void bins_of(const double* edges, const T* values, Index stride, Count count, Bin* bins) {
  std::int32_t place[lanes] = {};
  double x[lanes];
  for (Index lane = 0; lane < count; ++lane) x[lane] = static_cast<double>(values[lane * stride]);
  for (std::int32_t step = 128; step > 0; step /= 2) {
    for (Index lane = 0; lane < count; ++lane) {
      place[lane] += edges[place[lane] + step - 1] < x[lane] ? step : 0;
    }
  }
  for (Index lane = 0; lane < count; ++lane) {
    bins[lane] = std::isnan(x[lane]) ? Bin(missing_bin) : static_cast<Bin>(place[lane]);
  }
}

// One column of one block of rows.
template <class T>
void bin_numbers(View2D<const T> x, Index column, Index first, Index last, const double* edges, Bin* bins) {
  const T* values = x.col(column);
  Index row = first;
  for (; row + lanes <= last; row += lanes) {
    bins_of(edges, values + row * x.row_stride, x.row_stride, std::integral_constant<Index, lanes>(),
            bins + row);
  }
  if (row < last) bins_of(edges, values + row * x.row_stride, x.row_stride, last - row, bins + row);
}

template <class T>
Bin category_bin(Index count, T value) {
  return value >= T(0) && value < static_cast<T>(count) ? static_cast<Bin>(value) : Bin(missing_bin);
}

}  // namespace

template <class T>
void find_edges(View2D<const T> x, std::span<const Row> rows, std::span<const double> weights,
                std::span<const std::uint8_t> skip, int max_bins, bool fine_ends, View2D<double> edges,
                std::span<std::uint16_t> counts, int threads, StopToken& stop) {
  parallel_for(x.cols, threads, stop, [&](Index column, int) {
    counts[column] = 0;
    if (skip[column] || stop.poll()) return;
    const Sorted sorted = sorted_column(x, column, rows, weights);
    counts[column] = static_cast<std::uint16_t>(write_edges(sorted, max_bins, fine_ends, edges.row(column)));
  });
}

template <class T>
void bin_table(View2D<const T> x, View2D<const double> edges, std::span<const std::uint16_t> counts,
               std::span<const std::uint8_t> categorical, Bin* by_column, Bin* by_row,
               std::span<std::uint8_t> has_missing, int threads, StopToken& stop) {
  const auto groups = column_groups(x.cols);
  const Index blocks = block_count(x.rows, rows_per_block);
  std::vector<double> padded(static_cast<std::size_t>(x.cols * bins_per_column),
                             std::numeric_limits<double>::infinity());
  for (Index column = 0; column < x.cols; ++column) {
    const Index count = categorical[column] ? 0 : counts[column];
    std::copy_n(edges.row(column), count, padded.begin() + column * bins_per_column);
  }
  std::vector<std::uint8_t> missing(static_cast<std::size_t>(blocks * x.cols), 0);
  parallel_for(blocks, threads, stop, [&](Index block, int) {
    const Index first = block * rows_per_block, last = std::min(x.rows, first + rows_per_block);
    for (const ColumnGroup& group : groups) {
      for (Index column = group.first; column < group.last; ++column) {
        Bin* bins = by_column + column * x.rows;
        if (categorical[column]) {
          for (Index row = first; row < last; ++row) bins[row] = category_bin(counts[column], x(row, column));
        } else {
          bin_numbers(x, column, first, last, padded.data() + column * bins_per_column, bins);
        }
        bool any = false;
        for (Index row = first; row < last; ++row) any |= bins[row] == missing_bin;
        missing[block * x.cols + column] = any;
        if (by_row == nullptr) continue;
        Bin* beside = by_row + x.rows * group.first + (column - group.first);
        for (Index row = first; row < last; ++row) beside[row * group.width()] = bins[row];
      }
    }
  });
  for (Index column = 0; column < x.cols; ++column) {
    has_missing[column] = 0;
    for (Index block = 0; block < blocks; ++block) has_missing[column] |= missing[block * x.cols + column];
  }
}

#define CERTUS_INSTANTIATE(T)                                                                         \
  template void find_edges<T>(View2D<const T>, std::span<const Row>, std::span<const double>,         \
                              std::span<const std::uint8_t>, int, bool, View2D<double>,               \
                              std::span<std::uint16_t>, int, StopToken&);                             \
  template void bin_table<T>(View2D<const T>, View2D<const double>, std::span<const std::uint16_t>,   \
                             std::span<const std::uint8_t>, Bin*, Bin*, std::span<std::uint8_t>, int, \
                             StopToken&);
CERTUS_INSTANTIATE(float)
CERTUS_INSTANTIATE(double)
#undef CERTUS_INSTANTIATE

}  // namespace certus::boosting
