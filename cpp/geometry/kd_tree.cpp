#include "geometry/kd_tree.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"

namespace certus::geometry {
namespace {

// Each sum of d terms has relative error below (d + 2) u, u = 2^-53; a term of pow() adds less than 2 u, a
// weight 1 u. Twice the sum of both sides, rounded up generously.
double rounding_slack(Index columns) {
  return 1.0 + 4.0 * static_cast<double>(columns + 8) * std::numeric_limits<double>::epsilon();
}

// So many queries are worth a look at which of them lie close together, by so many boxes at least.
constexpr Index enough_queries = 512;
constexpr std::size_t enough_boxes = 512;

// A node whose points take no more is copied to the near cache before it is cut further.
constexpr Index small_node_bytes = Index{1} << 17;

// The borders of the nodes of each level, in groups: every range is cut in two.
std::vector<std::vector<Index>> halved(Index groups, int depth) {
  std::vector<std::vector<Index>> borders{{0, groups}};
  for (int level = 0; level < depth; ++level) {
    const std::vector<Index>& coarse = borders.back();
    std::vector<Index> fine;
    fine.reserve(2 * coarse.size());
    for (std::size_t node = 0; node + 1 < coarse.size(); ++node) {
      fine.push_back(coarse[node]);
      fine.push_back(coarse[node] + (coarse[node + 1] - coarse[node] + 1) / 2);
    }
    fine.push_back(groups);
    borders.push_back(std::move(fine));
  }
  return borders;
}

}  // namespace

template <class T>
KdTree<T>::KdTree(View2D<const T> rows, Index leaf_size, int threads, StopToken& stop)
    : rows_(rows.rows), columns_(rows.cols), slack_(rounding_slack(rows.cols)) {
  const Index groups = block_count(rows_, lanes);
  const Index most_groups = block_count(leaf_size, lanes);
  int depth = 0;
  while (block_count(groups, Index{1} << depth) > most_groups) ++depth;
  order_.resize(static_cast<std::size_t>(rows_));
  for (Index i = 0; i < rows_; ++i) order_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
  const Borders borders = halved(groups, depth);
  leaf_groups_ = borders.back();
  points_.resize(static_cast<std::size_t>(groups * lanes * columns_));
  split_nodes(rows, borders, threads, stop);
  if (stop.requested()) return;
  arrange_levels(depth);
  bound_nodes(threads, stop);
}

// Large nodes level by level, the nodes of one level in parallel, then the small ones each as a whole.
template <class T>
void KdTree<T>::split_nodes(View2D<const T> rows, const Borders& borders, int threads, StopToken& stop) {
  const Index row_bytes = columns_ * static_cast<Index>(sizeof(T));
  const Index small = std::max<Index>(1, small_node_bytes / row_bytes / lanes);  // groups
  std::vector<std::uint64_t> keyed(static_cast<std::size_t>(rows_));
  std::vector<std::int32_t> moved(keyed.size());
  const auto space_for = [&](const Slots& slots) {
    const auto begin = static_cast<std::size_t>(slots.begin),
               count = static_cast<std::size_t>(slots.end - slots.begin);
    return SplitSpace<T>{{keyed.data() + begin, count}, {moved.data() + begin, count}, {}, {}};
  };
  std::size_t level = 0;
  for (; level + 1 < borders.size() && borders[level][1] > small; ++level) {
    parallel_for(static_cast<Index>(borders[level].size()) - 1, threads, stop, [&](Index node, int) {
      const Slots slots = slots_of(borders, level, node);
      SplitSpace<T> space = space_for(slots);
      if (slots.middle < slots.end) {
        split_at<T>(rows, {order_.data() + slots.begin, order_.data() + slots.end},
                    slots.middle - slots.begin, space, stop);
      }
    });
  }
  parallel_for(static_cast<Index>(borders[level].size()) - 1, threads, stop, [&](Index node, int) {
    SplitSpace<T> space = space_for(slots_of(borders, level, node));
    split_small_node(rows, borders, level, node, space, stop);
  });
}

// All cuts below a node whose points fit into a near cache: on a copy of them, so that neither a cut nor the
// filling of the leaves waits for memory.
template <class T>
void KdTree<T>::split_small_node(View2D<const T> rows, const Borders& borders, std::size_t top, Index node,
                                 SplitSpace<T>& space, StopToken& stop) {
  const Slots all = slots_of(borders, top, node);
  const Index begin = all.begin, count = all.end - begin;
  std::vector<T> copy(static_cast<std::size_t>(count * columns_));
  std::vector<std::int32_t> members(static_cast<std::size_t>(count));
  T* to = copy.data();
  for (Index i = 0; i < count; ++i) {
    const T* row = rows.row(order_[static_cast<std::size_t>(begin + i)]);
    for (Index j = 0; j < columns_; ++j) *to++ = row[j];
    members[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
  }
  const View2D<const T> near{copy.data(), count, columns_};
  for (std::size_t level = top; level + 1 < borders.size() && !stop.poll(); ++level) {
    const Index first = node << (level - top), last = (node + 1) << (level - top);
    for (Index below = first; below < last; ++below) {
      const Slots part = slots_of(borders, level, below);
      if (part.middle >= part.end) continue;
      split_at<T>(near, {members.data() + (part.begin - begin), members.data() + (part.end - begin)},
                  part.middle - part.begin, space, stop);
    }
  }
  if (stop.requested() || count == 0) return;
  fill_groups(
      near, count,
      [&members](Index slot) { return static_cast<Index>(members[static_cast<std::size_t>(slot)]); },
      points_.data() + begin * columns_);
  std::int32_t* const slots = order_.data() + begin;
  for (std::int32_t& member : members) member = slots[member];
  std::copy(members.begin(), members.end(), slots);
}

template <class T>
typename KdTree<T>::Slots KdTree<T>::slots_of(const Borders& borders, std::size_t level, Index node) const {
  const auto at = static_cast<std::size_t>(node);
  const bool cut = level + 1 < borders.size();
  const Index middle = cut ? borders[level + 1][2 * at + 1] : borders[level][at + 1];
  return {std::min(rows_, borders[level][at] * lanes), std::min(rows_, middle * lanes),
          std::min(rows_, borders[level][at + 1] * lanes)};
}

// The uppermost level takes the bits that do not fill a whole level of eight children.
template <class T>
void KdTree<T>::arrange_levels(int depth) {
  Index offset = 0;
  for (int above = 0; above < depth;) {
    const int bits = (depth - above) % 3 != 0 ? (depth - above) % 3 : 3;
    levels_.push_back({bits, offset});
    offset += Index{1} << above;
    above += bits;
  }
  const auto borders = static_cast<std::size_t>(offset * columns_ * lanes);
  // An absent child is a box at infinity.
  low_.assign(borders, std::numeric_limits<T>::infinity());
  high_.assign(borders, -std::numeric_limits<T>::infinity());
}

// Boxes from the leaves up: first those of the points, then each the union of its children.
template <class T>
void KdTree<T>::bound_nodes(int threads, StopToken& stop) {
  const auto leaves = static_cast<Index>(leaf_groups_.size()) - 1;
  std::vector<T> low(static_cast<std::size_t>(leaves * columns_)), high(low.size());
  parallel_ranges(leaves, 64, threads, stop, [&](Index from, Index to, int) {
    for (Index leaf = from; leaf < to; ++leaf) {
      const Index first = leaf_groups_[static_cast<std::size_t>(leaf)];
      const Index last = leaf_groups_[static_cast<std::size_t>(leaf) + 1];
      for (Index j = 0; j < columns_; ++j) {
        T least = std::numeric_limits<T>::infinity(), most = -least;
        for (Index group = first; group < last; ++group) {
          const T* values = points_.data() + (group * columns_ + j) * lanes;
          for (Index lane = 0; lane < lanes; ++lane) {
            least = std::min(least, values[lane]);
            most = std::max(most, values[lane]);
          }
        }
        low[static_cast<std::size_t>(leaf * columns_ + j)] = least;
        high[static_cast<std::size_t>(leaf * columns_ + j)] = most;
      }
    }
  });
  for (int level = static_cast<int>(levels_.size()) - 1; level >= 0; --level) bound_level(level, low, high);
}

// Writes the children's boxes into the nodes of one level and leaves the nodes' own boxes in their place.
template <class T>
void KdTree<T>::bound_level(int level, std::vector<T>& child_low, std::vector<T>& child_high) {
  const Level& place = levels_[static_cast<std::size_t>(level)];
  const Index fan = Index{1} << place.bits;
  const auto nodes = static_cast<Index>(child_low.size()) / columns_ / fan;
  std::vector<T> own_low(static_cast<std::size_t>(nodes * columns_)), own_high(own_low.size());
  for (Index node = 0; node < nodes; ++node) {
    for (Index j = 0; j < columns_; ++j) {
      T* low = low_.data() + ((place.offset + node) * columns_ + j) * lanes;
      T* high = high_.data() + ((place.offset + node) * columns_ + j) * lanes;
      for (Index child = 0; child < fan; ++child) {
        low[child] = child_low[static_cast<std::size_t>((node * fan + child) * columns_ + j)];
        high[child] = child_high[static_cast<std::size_t>((node * fan + child) * columns_ + j)];
      }
      own_low[static_cast<std::size_t>(node * columns_ + j)] = *std::min_element(low, low + fan);
      own_high[static_cast<std::size_t>(node * columns_ + j)] = *std::max_element(high, high + fan);
    }
  }
  child_low.swap(own_low);
  child_high.swap(own_high);
}

// The queries in an order in which neighbors in the order look at the same nodes, as long as these are in the
// cache: by the box that they are in, or next to, some levels below the root.
template <class T>
std::vector<std::int32_t> KdTree<T>::near_to_near(View2D<const double> queries, const Metric& metric,
                                                  int threads, StopToken& stop) const {
  std::vector<std::int32_t> box(static_cast<std::size_t>(queries.rows), 0);
  std::size_t boxes = 1;
  int deep = 0;
  for (; deep < depth() && boxes < enough_boxes; ++deep) boxes <<= bits_below(deep);
  parallel_ranges(queries.rows, 1024, threads, stop, [&](Index first, Index last, int) {
    std::array<Pending, lanes> children;
    for (Index i = first; i < last; ++i) {
      Pending at{0.0, 0, 0};
      while (at.level < deep) {
        at = push_children(at, queries.row(i), metric, std::numeric_limits<double>::infinity(),
                           children.data())[-1];
      }
      box[static_cast<std::size_t>(i)] = at.node;
    }
  });
  std::vector<std::int32_t> places(boxes + 1, 0), order(box.size());
  for (const std::int32_t one : box) ++places[static_cast<std::size_t>(one) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  for (std::size_t i = 0; i < box.size(); ++i) {
    order[static_cast<std::size_t>(places[static_cast<std::size_t>(box[i])]++)] =
        static_cast<std::int32_t>(i);
  }
  return order;
}

template <class T>
std::int64_t KdTree<T>::query(View2D<const double> queries, const Metric& metric, int threads,
                              StopToken& stop, NeighborTable out) const {
  constexpr Index block = 32;
  const bool ordered = queries.rows >= enough_queries && leaves() >= static_cast<Index>(enough_boxes) &&
                       queries.rows <= std::numeric_limits<std::int32_t>::max();
  const std::vector<std::int32_t> order =
      ordered ? near_to_near(queries, metric, threads, stop) : std::vector<std::int32_t>{};
  return ordered_reduce(
      block_count(queries.rows, block), threads, stop, std::int64_t{0},
      [&](Index b) {
        KBest best(out.rows.cols);
        std::vector<Pending> stack;
        std::int64_t compared = 0;
        const Index last = std::min(queries.rows, (b + 1) * block);
        for (Index at = b * block; at < last && !stop.poll(); ++at) {
          const Index i = ordered ? order[static_cast<std::size_t>(at)] : at;
          compared += search(queries.row(i), metric, best, stack);
          best.write(out.distances.row(i), out.rows.row(i));
        }
        return compared;
      },
      [](std::int64_t a, std::int64_t b) { return a + b; });
}

template <class T>
std::int64_t KdTree<T>::search(const double* query, const Metric& metric, KBest& best,
                               std::vector<Pending>& stack) const {
  std::int64_t compared = 0;
  walk(
      query, metric, stack, [&] { return best.bound(); }, [](int, Index) { return false; },
      [&](Index begin, Index size, const double* found) {
        const double bound = best.bound();
        std::array<std::int32_t, most_slots> hits;
        std::size_t count = 0;
        for (Index slot = 0; slot < size; ++slot) {  // no branch: hits come at random
          hits[count] = static_cast<std::int32_t>(slot);
          count += !(found[slot] > bound);
        }
        for (std::size_t hit = 0; hit < count; ++hit) {
          best.offer(found[hits[hit]], order_[static_cast<std::size_t>(begin + hits[hit])]);
        }
        compared += size;
      });
  return compared;
}

// Puts the children that may hold a neighbor on the stack, the nearest on top, and returns its new end.
template <class T>
typename KdTree<T>::Pending* KdTree<T>::push_children(const Pending& parent, const double* query,
                                                      const Metric& metric, double bound,
                                                      Pending* top) const {
  const Level& place = levels_[static_cast<std::size_t>(parent.level)];
  const Index node = place.offset + parent.node;
  std::array<double, lanes> bounds;
  box_bounds(metric, query, low_.data() + node * columns_ * lanes, high_.data() + node * columns_ * lanes,
             columns_, bounds.data());
  const std::int32_t level = parent.level + 1, first = parent.node << place.bits;
  Pending* end = top;
  for (std::int32_t child = 0; child < (1 << place.bits); ++child) {  // no branch here either
    const double value = bounds[static_cast<std::size_t>(child)];
    *end = {value, level, first + child};
    end += !(value > bound);
  }
  if (end - top < 2) return end;
  Pending* nearest = top;
  for (Pending* at = top + 1; at < end; ++at) nearest = at->bound < nearest->bound ? at : nearest;
  std::swap(*nearest, end[-1]);
  return end;
}

template <class T>
void KdTree<T>::within(View2D<const double> queries, const Metric& metric, std::span<const double> limits,
                       int threads, StopToken& stop, WithinLists& out) const {
  parallel_ranges(queries.rows, WithinLists::block, threads, stop, [&](Index first, Index last, int) {
    std::vector<Pending> stack;
    auto& all = out.of_block(first / WithinLists::block);
    for (Index i = first; i < last && !stop.poll(); ++i) {
      const std::size_t begin = all.size();
      gather(queries.row(i), metric, limits[static_cast<std::size_t>(i)], stack, all);
      out.close(i, begin);
    }
  });
}

template <class T>
void KdTree<T>::gather(const double* query, const Metric& metric, double limit, std::vector<Pending>& stack,
                       std::vector<Neighbor>& found) const {
  walk(
      query, metric, stack, [limit] { return limit; }, [](int, Index) { return false; },
      [&](Index begin, Index size, const double* values) {
        for (Index slot = 0; slot < size; ++slot) {
          if (values[slot] <= limit) {
            found.push_back({values[slot], order_[static_cast<std::size_t>(begin + slot)]});
          }
        }
      });
}

template <class T>
void KdTree<T>::count_within(View2D<const double> queries, const Metric& metric,
                             std::span<const double> limits, Index enough, int threads, StopToken& stop,
                             std::span<Index> counts) const {
  parallel_ranges(queries.rows, WithinLists::block, threads, stop, [&](Index first, Index last, int) {
    std::vector<Pending> stack;
    for (Index i = first; i < last && !stop.poll(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      counts[at] = count(queries.row(i), metric, limits[at], enough, stack);
    }
  });
}

template <class T>
Index KdTree<T>::count(const double* query, const Metric& metric, double limit, Index enough,
                       std::vector<Pending>& stack) const {
  Index inside = 0;
  std::array<double, lanes> bounds, reaches;
  stack.assign(1, {0.0, 0, 0});
  while (!stack.empty() && inside < enough) {
    const Pending next = stack.back();
    stack.pop_back();
    if (next.level == static_cast<int>(levels_.size())) {
      inside += count_leaf(next.node, query, metric, limit);
      continue;
    }
    const Level& place = levels_[static_cast<std::size_t>(next.level)];
    const Index node = (place.offset + next.node) * columns_ * lanes;
    box_bounds(metric, query, low_.data() + node, high_.data() + node, columns_, bounds.data());
    box_reaches(metric, query, low_.data() + node, high_.data() + node, columns_, reaches.data());
    for (Index child = 0; child < (Index{1} << place.bits); ++child) {
      const Index below = (next.node << place.bits) + child;
      const auto lane = static_cast<std::size_t>(child);
      if (bounds[lane] > limit * slack_) continue;
      if (reaches[lane] * slack_ <= limit) {
        inside += rows_below(next.level + 1, below);
      } else {
        stack.push_back({bounds[lane], next.level + 1, static_cast<std::int32_t>(below)});
      }
    }
  }
  return inside;
}

template <class T>
Index KdTree<T>::count_leaf(Index leaf, const double* query, const Metric& metric, double limit) const {
  Index inside = 0;
  compare_leaf(leaf, query, metric, [&](Index, Index size, const double* found) {
    for (Index slot = 0; slot < size; ++slot) inside += found[slot] <= limit;
  });
  return inside;
}

template <class T>
Index KdTree<T>::rows_below(int level, Index node) const {
  int bits = 0;
  for (std::size_t lower = static_cast<std::size_t>(level); lower < levels_.size(); ++lower) {
    bits += levels_[lower].bits;
  }
  const Index first = leaf_groups_[static_cast<std::size_t>(node << bits)] * lanes;
  const Index last = leaf_groups_[static_cast<std::size_t>((node + 1) << bits)] * lanes;
  return std::min(rows_, last) - std::min(rows_, first);
}

template class KdTree<float>;
template class KdTree<double>;

}  // namespace certus::geometry
