#include "geometry/scan.hpp"

#include <array>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "geometry/group_access.hpp"

namespace certus::geometry {

template <class T>
void scan_some(View2D<const T> rows, View2D<const double> queries, std::span<const Index> chosen,
               const Metric& metric, StopToken& stop, NeighborTable out) {
  if (chosen.empty()) return;
  constexpr Index groups = 8,
                  tile = groups * lanes;  // rows turned into groups once and used by all the queries
  std::vector<T> tile_rows(static_cast<std::size_t>(tile * rows.cols));
  std::array<double, tile> found;
  std::vector<KBest> best(chosen.size(), KBest(out.rows.cols));
  for (Index first = 0; first < rows.rows; first += tile) {
    const Index count = std::min(tile, rows.rows - first);
    fill_groups(rows, count, [first](Index slot) { return first + slot; }, tile_rows.data());
    if (stop.poll()) return;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      distances(metric, queries.row(chosen[i]), tile_rows.data(), rows.cols, block_count(count, lanes),
                found.data());
      double bound = best[i].bound();
      for (Index slot = 0; slot < count; ++slot) {
        if (!(found[static_cast<std::size_t>(slot)] > bound)) {
          best[i].offer(found[static_cast<std::size_t>(slot)], first + slot);
          bound = best[i].bound();
        }
      }
    }
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    best[i].write(out.distances.row(chosen[i]), out.rows.row(chosen[i]));
  }
}

template <class T>
void scan(View2D<const T> rows, View2D<const double> queries, const Metric& metric, int threads,
          StopToken& stop, NeighborTable out) {
  constexpr Index block = 32;
  parallel_ranges(queries.rows, block, threads, stop, [&](Index first, Index last, int) {
    std::array<Index, block> chosen;
    std::iota(chosen.begin(), chosen.end(), first);
    scan_some(rows, queries, std::span<const Index>(chosen.data(), static_cast<std::size_t>(last - first)),
              metric, stop, out);
  });
}

template void scan(View2D<const float>, View2D<const double>, const Metric&, int, StopToken&, NeighborTable);
template void scan(View2D<const double>, View2D<const double>, const Metric&, int, StopToken&, NeighborTable);
template void scan_some(View2D<const float>, View2D<const double>, std::span<const Index>, const Metric&,
                        StopToken&, NeighborTable);
template void scan_some(View2D<const double>, View2D<const double>, std::span<const Index>, const Metric&,
                        StopToken&, NeighborTable);

}  // namespace certus::geometry
