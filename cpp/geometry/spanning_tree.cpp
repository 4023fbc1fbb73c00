#include "geometry/spanning_tree.hpp"

#include <atomic>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "geometry/outside_rows.hpp"

namespace certus::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Edge {
  double length = infinity;
  Index low = 0, high = 0;
  friend bool operator<(const Edge& a, const Edge& b) {
    if (a.length != b.length) return a.length < b.length;
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  }
};

Edge edge_between(double length, Index a, Index b) { return {length, std::min(a, b), std::max(a, b)}; }

// The rows that are not in the tree yet, each with its shortest edge to the tree.
template <class T>
class Outside {
 public:
  Outside(View2D<const T> rows, std::span<const double> core)
      : rows_(rows), core_(core.begin(), core.end()) {}

  Index count() const { return rows_.count(); }
  Edge edge(Index slot) const { return edge_between(rows_.best(slot), rows_.row(slot), rows_.link(slot)); }
  Index row(Index slot) const { return rows_.row(slot); }
  Index link(Index slot) const { return rows_.link(slot); }

  void remove(Index slot, double* coordinates) {
    const Index last = rows_.remove(slot, coordinates);
    if (!core_.empty()) core_[static_cast<std::size_t>(slot)] = core_[static_cast<std::size_t>(last)];
  }

  // Compares the slots first .. last-1 (first on a border of groups) with a row that joined the tree; returns
  // the slot with the shortest edge.
  Index update(Index first, Index last, const double* joined, Index joined_row, double joined_core,
               const Metric& metric) {
    Index nearest = first;
    rows_.compare(first, last, joined, metric, [&](Index begin, Index size, double* found) {
      if (!core_.empty()) {
        const double* cores = core_.data() + begin;
        for (Index i = 0; i < size; ++i) found[i] = std::max(std::max(found[i], joined_core), cores[i]);
      }
      for (Index i = 0; i < size; ++i) {
        const Index slot = begin + i;
        if (found[i] > rows_.best(slot)) continue;
        if (found[i] < rows_.best(slot) || edge_between(found[i], row(slot), joined_row) < edge(slot)) {
          rows_.best(slot) = found[i];
          rows_.link(slot) = joined_row;
        }
      }
      for (Index slot = begin; slot < begin + size; ++slot) {
        if (rows_.best(slot) > rows_.best(nearest)) continue;
        if (rows_.best(slot) < rows_.best(nearest) || edge(slot) < edge(nearest)) nearest = slot;
      }
    });
    return nearest;
  }

 private:
  OutsideRows<T> rows_;
  std::vector<double> core_;
};

}  // namespace

template <class T>
void prim(View2D<const T> rows, std::span<const double> core, const Metric& metric, int threads,
          StopToken& stop, SpanningTree out) {
  constexpr Index block = 16384;  // slots
  Outside<T> outside(rows, core);
  std::vector<double> joined(static_cast<std::size_t>(rows.cols));
  std::vector<Index> nearest(static_cast<std::size_t>(block_count(rows.rows, block)));
  Index row = 0;
  outside.remove(0, joined.data());
  for (Index step = 0; step + 1 < rows.rows && !stop.poll(); ++step) {
    const double own = core.empty() ? 0.0 : core[static_cast<std::size_t>(row)];
    const Index blocks = block_count(outside.count(), block);
    const auto work = [&](Index first, Index last, int) {
      nearest[static_cast<std::size_t>(first / block)] =
          outside.update(first, last, joined.data(), row, own, metric);
    };
    parallel_ranges(outside.count(), block, blocks > 1 ? threads : 1, stop, work);
    Index best = nearest[0];
    for (Index b = 1; b < blocks; ++b) {
      const Index other = nearest[static_cast<std::size_t>(b)];
      if (outside.edge(other) < outside.edge(best)) best = other;
    }
    const auto at = static_cast<std::size_t>(step);
    out.from[at] = outside.link(best);
    out.to[at] = row = outside.row(best);
    out.length[at] = outside.edge(best).length;
    outside.remove(best, joined.data());
  }
}

namespace {

// One run of Boruvka's method over the slots of a tree.
template <class T>
class Boruvka {
 public:
  Boruvka(const KdTree<T>& tree, std::span<const double> core, const Metric& metric)
      : tree_(tree),
        core_(core),
        metric_(metric),
        slot_of_(static_cast<std::size_t>(tree.rows())),
        component_(slot_of_.size()),
        parent_(slot_of_.size()),
        known_(slot_of_.size(), Edge{0.0, 0, 0}),
        fresh_(slot_of_.size(), 0),
        shortest_(slot_of_.size()),
        reach_(new std::atomic<double>[slot_of_.size()]) {
    std::iota(component_.begin(), component_.end(), Index{0});
    std::iota(parent_.begin(), parent_.end(), Index{0});
    for (Index slot = 0; slot < tree.rows(); ++slot) slot_of_[static_cast<std::size_t>(row(slot))] = slot;
    for (int level = 0; level <= tree.depth(); ++level) {
      const std::size_t nodes = level == 0 ? 1 : same_.back().size() << tree.bits_below(level - 1);
      same_.emplace_back(nodes, Index{-1});
    }
  }

  // Returns how many edges were made: all unless distances are infinite.
  Index run(int threads, StopToken& stop, SpanningTree out) {
    Index made = 0;
    while (made + 1 < tree_.rows() && !stop.poll()) {
      label_nodes();
      find_edges(threads, stop);
      if (stop.requested()) break;
      const Index before = made;
      made = join(out, made);
      if (made == before) break;
    }
    return made;
  }

 private:
  Index row(Index slot) const { return tree_.order()[static_cast<std::size_t>(slot)]; }
  double core(Index slot) const { return core_.empty() ? 0.0 : core_[static_cast<std::size_t>(row(slot))]; }

  // Per node the component of all its points, or -1.
  void label_nodes() {
    auto& leaves = same_.back();
    for (Index leaf = 0; leaf < tree_.leaves(); ++leaf) {
      const Index first = tree_.first_slot(leaf), last = tree_.first_slot(leaf + 1);
      Index all = first < last ? component_[static_cast<std::size_t>(first)] : Index{-1};
      for (Index slot = first; slot < last; ++slot) {
        if (component_[static_cast<std::size_t>(slot)] != all) all = -1;
      }
      leaves[static_cast<std::size_t>(leaf)] = all;
    }
    for (int level = tree_.depth() - 1; level >= 0; --level) {
      const auto& below = same_[static_cast<std::size_t>(level) + 1];
      auto& here = same_[static_cast<std::size_t>(level)];
      const int bits = tree_.bits_below(level);
      for (std::size_t node = 0; node < here.size(); ++node) {
        const auto first = below.begin() + static_cast<std::ptrdiff_t>(node << bits);
        const bool one = std::all_of(first, first + (Index{1} << bits), [&](Index c) { return c == *first; });
        here[node] = one ? *first : Index{-1};
      }
    }
  }

  void find_edges(int threads, StopToken& stop) {
    for (std::size_t i = 0; i < slot_of_.size(); ++i) reach_[i].store(infinity, std::memory_order_relaxed);
    for (std::size_t i = 0; i < slot_of_.size(); ++i) {
      fresh_[i] = fresh_[i] != 0 && component_[partner(i)] != component_[i];
      if (fresh_[i]) lower_reach(component_[i], known_[i].length);
    }
    parallel_ranges(tree_.rows(), 256, threads, stop, [&](Index first, Index last, int) {
      std::vector<typename KdTree<T>::Pending> stack;
      std::vector<double> query(static_cast<std::size_t>(tree_.columns()));
      for (Index slot = first; slot < last && !stop.poll(); ++slot) search(slot, query.data(), stack);
    });
    std::fill(shortest_.begin(), shortest_.end(), Edge{});
    for (std::size_t i = 0; i < slot_of_.size(); ++i) {
      Edge& best = shortest_[static_cast<std::size_t>(component_[i])];
      if (fresh_[i] && known_[i] < best) best = known_[i];
    }
  }

  // The slot at the other end of what a slot knows.
  std::size_t partner(std::size_t slot) const {
    const Edge& edge = known_[slot];
    const Index other = edge.low == row(static_cast<Index>(slot)) ? edge.high : edge.low;
    return static_cast<std::size_t>(slot_of_[static_cast<std::size_t>(other)]);
  }

  // Several threads may lower the reach of a component. That decides only what is left out, and only edges
  // longer than the component's shortest are: the tree does not depend on their order.
  void lower_reach(Index component, double length) {
    auto& reach = reach_[static_cast<std::size_t>(component)];
    double seen = reach.load(std::memory_order_relaxed);
    while (length < seen && !reach.compare_exchange_weak(seen, length, std::memory_order_relaxed)) {
    }
  }

  void search(Index slot, double* query, std::vector<typename KdTree<T>::Pending>& stack) {
    const auto at = static_cast<std::size_t>(slot);
    const Index own = component_[at];
    const auto& reach = reach_[static_cast<std::size_t>(own)];
    const double own_core = core(slot);
    // What a row knew before is a lower bound: there are fewer rows outside now.
    if (fresh_[at] || std::max(known_[at].length, own_core) > reach.load(std::memory_order_relaxed)) return;
    tree_.point(slot, query);
    Edge best;
    tree_.walk(
        query, metric_, stack, [&] { return std::min(best.length, reach.load(std::memory_order_relaxed)); },
        [&](int level, Index node) {
          return same_[static_cast<std::size_t>(level)][static_cast<std::size_t>(node)] == own;
        },
        [&](Index begin, Index size, const double* found) {
          for (Index i = 0; i < size; ++i) {
            if (found[i] > best.length || component_[static_cast<std::size_t>(begin + i)] == own) continue;
            const double length = std::max(std::max(found[i], own_core), core(begin + i));
            const Edge edge = edge_between(length, row(slot), row(begin + i));
            if (edge < best) best = edge;
          }
        });
    if (!(best.length < infinity) || best.length > reach.load(std::memory_order_relaxed)) return;
    known_[at] = best;
    fresh_[at] = 1;
    lower_reach(own, best.length);
  }

  Index root(Index slot) {
    while (parent_[static_cast<std::size_t>(slot)] != slot) {
      Index& above = parent_[static_cast<std::size_t>(slot)];
      above = parent_[static_cast<std::size_t>(above)];
      slot = above;
    }
    return slot;
  }

  // Adds the shortest edges; two components may have chosen the same one.
  Index join(SpanningTree out, Index made) {
    for (const Edge& edge : shortest_) {
      if (!(edge.length < infinity)) continue;
      const Index a = root(slot_of_[static_cast<std::size_t>(edge.low)]);
      const Index b = root(slot_of_[static_cast<std::size_t>(edge.high)]);
      if (a == b) continue;
      parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
      const auto at = static_cast<std::size_t>(made++);
      out.from[at] = edge.low;
      out.to[at] = edge.high;
      out.length[at] = edge.length;
    }
    for (Index slot = 0; slot < tree_.rows(); ++slot) component_[static_cast<std::size_t>(slot)] = root(slot);
    return made;
  }

  const KdTree<T>& tree_;
  std::span<const double> core_;
  const Metric& metric_;
  std::vector<Index> slot_of_;             // of a row
  std::vector<Index> component_, parent_;  // of a slot
  std::vector<Edge> known_;     // a slot's shortest edge out of its component, when it was looked for
  std::vector<char> fresh_;     // whether it still leads out
  std::vector<Edge> shortest_;  // of a component
  std::unique_ptr<std::atomic<double>[]> reach_;  // at least the length of a component's shortest edge
  std::vector<std::vector<Index>> same_;          // per level and node
};

}  // namespace

template <class T>
Index boruvka(const KdTree<T>& tree, std::span<const double> core, const Metric& metric, int threads,
              StopToken& stop, SpanningTree out) {
  return Boruvka<T>(tree, core, metric).run(threads, stop, out);
}

template void prim(View2D<const float>, std::span<const double>, const Metric&, int, StopToken&,
                   SpanningTree);
template void prim(View2D<const double>, std::span<const double>, const Metric&, int, StopToken&,
                   SpanningTree);
template Index boruvka(const KdTree<float>&, std::span<const double>, const Metric&, int, StopToken&,
                       SpanningTree);
template Index boruvka(const KdTree<double>&, std::span<const double>, const Metric&, int, StopToken&,
                       SpanningTree);

}  // namespace certus::geometry
