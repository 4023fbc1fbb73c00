#include "geometry/within.hpp"

#include <array>

#include "geometry/group_access.hpp"

namespace certus::geometry {
namespace {

constexpr Index tile = 8 * lanes;  // rows turned into groups once and used by a block of queries

// Calls take(query, first row, number of rows, their distances) for every query of a block and tile of rows.
template <class T, class Take>
void compare_block(View2D<const T> rows, View2D<const double> queries, const Metric& metric, Index first,
                   Index last, StopToken& stop, Take&& take) {
  std::vector<T> tile_rows(static_cast<std::size_t>(tile * rows.cols));
  std::array<double, tile> found;
  for (Index begin = 0; begin < rows.rows && !stop.poll(); begin += tile) {
    const Index count = std::min(tile, rows.rows - begin);
    fill_groups(rows, count, [begin](Index slot) { return begin + slot; }, tile_rows.data());
    for (Index query = first; query < last; ++query) {
      distances(metric, queries.row(query), tile_rows.data(), rows.cols, block_count(count, lanes),
                found.data());
      take(query, begin, count, found.data());
    }
  }
}

}  // namespace

template <class T>
void scan_within(View2D<const T> rows, View2D<const double> queries, const Metric& metric,
                 std::span<const double> limits, int threads, StopToken& stop, WithinLists& out) {
  parallel_ranges(queries.rows, WithinLists::block, threads, stop, [&](Index first, Index last, int) {
    std::vector<std::vector<Neighbor>> lists(static_cast<std::size_t>(last - first));
    compare_block(rows, queries, metric, first, last, stop,
                  [&](Index query, Index begin, Index count, const double* found) {
                    const double limit = limits[static_cast<std::size_t>(query)];
                    auto& list = lists[static_cast<std::size_t>(query - first)];
                    for (Index slot = 0; slot < count; ++slot) {
                      if (found[slot] <= limit) list.push_back({found[slot], begin + slot});
                    }
                  });
    auto& all = out.of_block(first / WithinLists::block);
    for (Index query = first; query < last; ++query) {
      const std::size_t begin = all.size();
      const auto& list = lists[static_cast<std::size_t>(query - first)];
      all.insert(all.end(), list.begin(), list.end());
      out.close(query, begin);
    }
  });
}

template <class T>
void scan_counts(View2D<const T> rows, View2D<const double> queries, const Metric& metric,
                 std::span<const double> limits, int threads, StopToken& stop, std::span<Index> counts) {
  parallel_ranges(queries.rows, WithinLists::block, threads, stop, [&](Index first, Index last, int) {
    std::fill(counts.begin() + first, counts.begin() + last, Index{0});
    compare_block(rows, queries, metric, first, last, stop,
                  [&](Index query, Index, Index count, const double* found) {
                    const double limit = limits[static_cast<std::size_t>(query)];
                    Index inside = 0;
                    for (Index slot = 0; slot < count; ++slot) inside += found[slot] <= limit;
                    counts[static_cast<std::size_t>(query)] += inside;
                  });
  });
}

template void scan_within(View2D<const float>, View2D<const double>, const Metric&, std::span<const double>,
                          int, StopToken&, WithinLists&);
template void scan_within(View2D<const double>, View2D<const double>, const Metric&, std::span<const double>,
                          int, StopToken&, WithinLists&);
template void scan_counts(View2D<const float>, View2D<const double>, const Metric&, std::span<const double>,
                          int, StopToken&, std::span<Index>);
template void scan_counts(View2D<const double>, View2D<const double>, const Metric&, std::span<const double>,
                          int, StopToken&, std::span<Index>);

}  // namespace certus::geometry
