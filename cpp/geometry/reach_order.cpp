#include "geometry/reach_order.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "geometry/outside_rows.hpp"

namespace certus::geometry {
namespace {

constexpr Index block = 16384;  // slots

template <class T>
bool before(const OutsideRows<T>& outside, Index slot, Index other) {
  if (outside.best(slot) != outside.best(other)) return outside.best(slot) < outside.best(other);
  return outside.row(slot) < outside.row(other);
}

template <class T>
Index first_of(const OutsideRows<T>& outside, Index first, Index last) {
  Index next = first;
  for (Index slot = first + 1; slot < last; ++slot) {
    if (before(outside, slot, next)) next = slot;
  }
  return next;
}

}  // namespace

template <class T>
void reach_order(View2D<const T> rows, std::span<const double> core, const Metric& metric, Root root,
                 double limit, int threads, StopToken& stop, ReachOrder out) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  OutsideRows<T> outside(rows);
  std::vector<double> point(static_cast<std::size_t>(rows.cols));
  std::vector<Index> nearest(static_cast<std::size_t>(block_count(rows.rows, block)));
  Index next = 0;
  for (Index step = 0; step < rows.rows && !stop.poll(); ++step) {
    const Index row = outside.row(next);
    const double own = core[static_cast<std::size_t>(row)];
    const auto at = static_cast<std::size_t>(row);
    out.order[static_cast<std::size_t>(step)] = row;
    out.reachability[at] = outside.best(next);
    out.predecessor[at] = outside.best(next) < infinity ? outside.link(next) : Index{-1};
    outside.remove(next, point.data());
    const Index blocks = block_count(outside.count(), block);
    const auto work = [&](Index first, Index last, int) {
      if (own < infinity) {
        outside.compare(first, last, point.data(), metric, [&](Index begin, Index size, double* found) {
          finish(root, metric, rows.cols, found, size);
          for (Index i = 0; i < size; ++i) {
            const double reach = std::max(own, found[i]);
            if (found[i] <= limit && reach < outside.best(begin + i)) {
              outside.best(begin + i) = reach;
              outside.link(begin + i) = row;
            }
          }
        });
      }
      nearest[static_cast<std::size_t>(first / block)] = first_of(outside, first, last);
    };
    parallel_ranges(outside.count(), block, blocks > 1 ? threads : 1, stop, work);
    next = nearest[0];
    for (Index b = 1; b < blocks; ++b) {
      const Index other = nearest[static_cast<std::size_t>(b)];
      if (before(outside, other, next)) next = other;
    }
  }
}

template void reach_order(View2D<const float>, std::span<const double>, const Metric&, Root, double, int,
                          StopToken&, ReachOrder);
template void reach_order(View2D<const double>, std::span<const double>, const Metric&, Root, double, int,
                          StopToken&, ReachOrder);

}  // namespace certus::geometry
