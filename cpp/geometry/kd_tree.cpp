#include "geometry/kd_tree.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/parallel.hpp"

namespace certus::geometry {
namespace {

// Each sum of d terms has relative error below (d + 2) u, u = 2^-53; a term of pow() adds less than 2 u, a
// weight 1 u. Twice the sum of both sides, rounded up generously.
double rounding_slack(Index columns) {
  return 1.0 + 4.0 * static_cast<double>(columns + 8) * std::numeric_limits<double>::epsilon();
}

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
  const Index most_groups = std::max<Index>(1, leaf_size / lanes);
  int depth = 0;
  while (block_count(groups, Index{1} << depth) > most_groups) ++depth;
  order_.resize(static_cast<std::size_t>(rows_));
  for (Index i = 0; i < rows_; ++i) order_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
  const Borders borders = halved(groups, depth);
  split_nodes(rows, borders, threads, stop);
  if (stop.requested()) return;
  leaf_groups_ = borders.back();
  copy_points(rows, threads, stop);
  arrange_levels(depth);
  bound_nodes(threads, stop);
}

// Large nodes level by level, the nodes of one level in parallel, then the small ones each as a whole.
template <class T>
void KdTree<T>::split_nodes(View2D<const T> rows, const Borders& borders, int threads, StopToken& stop) {
  const Index row_bytes = columns_ * static_cast<Index>(sizeof(T));
  const Index small = std::max<Index>(1, small_node_bytes / row_bytes / lanes);  // groups
  std::vector<std::uint64_t> keyed(static_cast<std::size_t>(borders.size() > 1 ? rows_ : 0));
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
  if (level + 1 == borders.size()) return;
  parallel_for(static_cast<Index>(borders[level].size()) - 1, threads, stop, [&](Index node, int) {
    const Slots slots = slots_of(borders, level, node);
    SplitSpace<T> space = space_for(slots);
    split_small_node(rows, borders, level, node, space, stop);
  });
}

// All cuts below a node whose points fit into a near cache: on a copy of them, so that no cut waits for
// memory.
template <class T>
void KdTree<T>::split_small_node(View2D<const T> rows, const Borders& borders, std::size_t top, Index node,
                                 SplitSpace<T>& space, StopToken& stop) {
  const Slots all = slots_of(borders, top, node);
  const std::span<std::int32_t> slots{order_.data() + all.begin, order_.data() + all.end};
  std::vector<T> copy(slots.size() * static_cast<std::size_t>(columns_));
  std::vector<std::int32_t> members(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const T* row = rows.row(slots[i]);
    std::copy(row, row + columns_, copy.data() + i * static_cast<std::size_t>(columns_));
    members[i] = static_cast<std::int32_t>(i);
  }
  const View2D<const T> near{copy.data(), static_cast<Index>(slots.size()), columns_};
  const Index all_begin = all.begin;
  for (std::size_t level = top; level + 1 < borders.size() && !stop.poll(); ++level) {
    const Index first = node << (level - top), last = (node + 1) << (level - top);
    for (Index below = first; below < last; ++below) {
      const Slots part = slots_of(borders, level, below);
      if (part.middle >= part.end) continue;
      split_at<T>(near, {members.data() + (part.begin - all_begin), members.data() + (part.end - all_begin)},
                  part.middle - part.begin, space, stop);
    }
  }
  for (std::size_t i = 0; i < slots.size(); ++i) members[i] = slots[static_cast<std::size_t>(members[i])];
  std::copy(members.begin(), members.end(), slots.begin());
}

template <class T>
typename KdTree<T>::Slots KdTree<T>::slots_of(const Borders& borders, std::size_t level, Index node) const {
  const auto at = static_cast<std::size_t>(node);
  return {std::min(rows_, borders[level][at] * lanes),
          std::min(rows_, borders[level + 1][2 * at + 1] * lanes),
          std::min(rows_, borders[level][at + 1] * lanes)};
}

template <class T>
void KdTree<T>::copy_points(View2D<const T> rows, int threads, StopToken& stop) {
  points_.resize(static_cast<std::size_t>(leaf_groups_.back() * lanes * columns_));
  const auto leaves = static_cast<Index>(leaf_groups_.size()) - 1;
  parallel_ranges(leaves, 64, threads, stop, [&](Index from, Index to, int) {
    for (Index leaf = from; leaf < to; ++leaf) {
      const Index first = leaf_groups_[static_cast<std::size_t>(leaf)] * lanes;
      const Index last = std::min(rows_, leaf_groups_[static_cast<std::size_t>(leaf) + 1] * lanes);
      if (first >= last) continue;  // fewer groups than leaves
      std::int32_t* slots = order_.data() + first;
      std::sort(slots, slots + (last - first));
      fill_groups(
          rows, last - first, [slots](Index slot) { return static_cast<Index>(slots[slot]); },
          points_.data() + first * columns_);
    }
  });
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

template <class T>
std::int64_t KdTree<T>::query(View2D<const double> queries, const Metric& metric, int threads,
                              StopToken& stop, NeighborTable out) const {
  constexpr Index block = 32;
  return ordered_reduce(
      block_count(queries.rows, block), threads, stop, std::int64_t{0},
      [&](Index b) {
        KBest best(out.rows.cols);
        std::vector<Pending> stack;
        std::int64_t compared = 0;
        const Index last = std::min(queries.rows, (b + 1) * block);
        for (Index i = b * block; i < last && !stop.poll(); ++i) {
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
        double bound = best.bound();
        for (Index slot = 0; slot < size; ++slot) {
          if (!(found[slot] > bound)) {
            best.offer(found[slot], order_[static_cast<std::size_t>(begin + slot)]);
            bound = best.bound();
          }
        }
        compared += size;
      });
  return compared;
}

// Pushes the children that may hold a neighbor, the nearest last so that it is taken first.
template <class T>
void KdTree<T>::push_children(const Pending& parent, const double* query, const Metric& metric, double bound,
                              std::vector<Pending>& stack) const {
  const Level& place = levels_[static_cast<std::size_t>(parent.level)];
  const Index node = place.offset + parent.node;
  std::array<double, lanes> bounds;
  box_bounds(metric, query, low_.data() + node * columns_ * lanes, high_.data() + node * columns_ * lanes,
             columns_, bounds.data());
  const std::size_t bottom = stack.size();
  for (Index child = 0; child < (Index{1} << place.bits); ++child) {
    const double value = bounds[static_cast<std::size_t>(child)];
    if (value > bound) continue;
    stack.push_back({value, parent.level + 1, (parent.node << place.bits) + child});
    for (std::size_t at = stack.size() - 1; at > bottom && stack[at - 1].bound < stack[at].bound; --at) {
      std::swap(stack[at - 1], stack[at]);
    }
  }
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
        stack.push_back({bounds[lane], next.level + 1, below});
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
