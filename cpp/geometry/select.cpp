#include "geometry/select.hpp"

#include "core/parallel.hpp"

namespace certus::geometry {

void select_smallest(View2D<const double> distances, int threads, StopToken& stop, NeighborTable out) {
  constexpr Index block = 16;
  parallel_ranges(distances.rows, block, threads, stop, [&](Index first, Index last, int) {
    KBest best(out.rows.cols);
    for (Index i = first; i < last && !stop.poll(); ++i) {
      double bound = best.bound();
      for (Index j = 0; j < distances.cols; ++j) {
        if (!(distances(i, j) > bound)) {
          best.offer(distances(i, j), j);
          bound = best.bound();
        }
      }
      best.write(out.distances.row(i), out.rows.row(i));
    }
  });
}

}  // namespace certus::geometry
