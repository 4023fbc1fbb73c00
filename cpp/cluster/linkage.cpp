#include "cluster/linkage.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "core/vector_ops.hpp"
#include "geometry/group_access.hpp"

namespace certus::cluster {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The clusters that are left, named by one of their rows, in ascending order.
class Remaining {
 public:
  explicit Remaining(std::span<const double> sizes)
      : sizes_(sizes.begin(), sizes.end()), next_(sizes.size() + 1), before_(sizes.size() + 1) {
    std::iota(next_.begin(), next_.end(), Index{1});
    std::iota(before_.begin(), before_.end(), Index{-1});
  }
  Index first() const { return first_; }
  Index next(Index i) const { return next_[at(i)]; }
  Index end() const { return static_cast<Index>(sizes_.size()); }
  double size(Index i) const { return sizes_[at(i)]; }
  void merge(Index gone, Index kept) {
    sizes_[at(kept)] += size(gone);
    const Index after = next(gone), previous = before_[at(gone)];
    (previous < 0 ? first_ : next_[at(previous)]) = after;
    before_[at(after)] = previous;
  }

 private:
  std::vector<double> sizes_;
  std::vector<Index> next_, before_;
  Index first_ = 0;
};

class ByDistances {
 public:
  ByDistances(std::span<double> half, std::span<const double> sizes, Linkage linkage)
      : left(sizes), half_(half), rows_(static_cast<Index>(sizes.size())), linkage_(linkage) {}

  Remaining left;

  double distance(Index a, Index b) const { return place(a, b); }
  void merge(Index gone, Index kept) {
    const double a = left.size(gone), b = left.size(kept);
    left.merge(gone, kept);
    for (Index c = left.first(); c < left.end(); c = left.next(c)) {
      if (c != kept) place(kept, c) = merged_distance(linkage_, place(gone, c), place(kept, c), a, b);
    }
  }

 private:
  double& place(Index a, Index b) const {
    if (a > b) std::swap(a, b);
    return half_[at(a * (2 * rows_ - a - 3) / 2 + b - 1)];
  }

  std::span<double> half_;
  Index rows_;
  Linkage linkage_;
};

class ByCenters {
 public:
  ByCenters(View2D<double> centers, std::span<const double> sizes, Linkage linkage)
      : left(sizes), centers_(centers, linkage) {}

  Remaining left;

  double distance(Index a, Index b) const { return centers_.distance(a, b, left.size(a), left.size(b)); }
  void merge(Index gone, Index kept) {
    centers_.merge(gone, kept, left.size(gone), left.size(kept), kept);
    left.merge(gone, kept);
  }

 private:
  Centers centers_;
};

struct Neighbor {
  Index cluster = -1;
  double distance = infinite;
};

// Clusters under ward, compared eight at a time: their means lie in groups (geometry/group_ops.hpp), in
// ascending order. Places of merged clusters stay until they are as many as the others.
class ByMeans {
 public:
  ByMeans(View2D<double> centers, std::span<const double> sizes)
      : left(sizes),
        columns_(centers.cols),
        names_(sizes.size()),
        place_(sizes.size()),
        weights_(padded(sizes.size()), 0.0),
        means_(weights_.size() * at(centers.cols), 0.0),
        here_(at(centers.cols)),
        found_(weights_.size()) {
    std::iota(names_.begin(), names_.end(), Index{0});
    std::iota(place_.begin(), place_.end(), Index{0});
    std::copy(sizes.begin(), sizes.end(), weights_.begin());
    for (Index row = 0; row < centers.rows; ++row) {
      for (Index j = 0; j < columns_; ++j) mean(row, j) = centers(row, j);
    }
  }

  Remaining left;

  // The nearest other cluster; of equal ones `known`, then the lowest.
  Neighbor nearest(Index here, Neighbor known) {
    const Index own = place_[at(here)], used = static_cast<Index>(names_.size());
    for (Index j = 0; j < columns_; ++j) here_[at(j)] = mean(own, j);
    geometry::distances(metric_, here_.data(), means_.data(), columns_, block_count(used, geometry::lanes),
                        found_.data());
    const double size = weights_[at(own)];
    double limit = known.distance * allowance;
    for (Index p = 0; p < used; ++p) {
      const double weight = weights_[at(p)];
      // Nothing is divided where the product already tells that it is farther.
      if (2.0 * size * weight * found_[at(p)] > limit * (size + weight)) continue;
      const double distance = 2.0 * size * weight / (size + weight) * found_[at(p)];
      if (weight > 0.0 && p != own && (distance < known.distance || known.cluster < 0)) {
        known = {names_[at(p)], distance};
        limit = distance * allowance;
      }
    }
    return known;
  }

  void merge(Index gone, Index kept) {
    const Index from = place_[at(gone)], to = place_[at(kept)];
    const double share = weights_[at(from)] / (weights_[at(from)] + weights_[at(to)]);
    for (Index j = 0; j < columns_; ++j) mean(to, j) += share * (mean(from, j) - mean(to, j));
    left.merge(gone, kept);
    weights_[at(to)] = left.size(kept);
    weights_[at(from)] = 0.0;
    if (2 * ++merged_ > static_cast<Index>(names_.size())) close_up();
  }

 private:
  static constexpr double allowance = 1.0 + 8.0 * std::numeric_limits<double>::epsilon();  // for rounding

  static std::size_t padded(std::size_t count) {
    return (count + geometry::lanes - 1) / geometry::lanes * geometry::lanes;
  }
  double& mean(Index place, Index column) {
    return means_[at((place / geometry::lanes * columns_ + column) * geometry::lanes +
                     place % geometry::lanes)];
  }
  void close_up() {
    Index to = 0;
    for (Index from = 0; from < static_cast<Index>(names_.size()); ++from) {
      if (!(weights_[at(from)] > 0.0)) continue;
      names_[at(to)] = names_[at(from)];
      place_[at(names_[at(to)])] = to;
      weights_[at(to)] = weights_[at(from)];
      for (Index j = 0; j < columns_; ++j) mean(to, j) = mean(from, j);
      ++to;
    }
    names_.resize(at(to));
    std::fill(weights_.begin() + to, weights_.end(), 0.0);
    merged_ = 0;
  }

  Index columns_;
  std::vector<Index> names_, place_;  // the cluster at a place, the place of a cluster
  std::vector<double> weights_;       // 0 where a cluster has merged into another
  std::vector<double> means_, here_, found_;
  geometry::Metric metric_{};
  Index merged_ = 0;
};

// The nearest other cluster from `start` on; of equal ones `known`, then the lowest.
template <class Clusters>
Neighbor nearest(const Clusters& clusters, Index here, Index start, Neighbor known) {
  for (Index other = start; other < clusters.left.end(); other = clusters.left.next(other)) {
    if (other == here) continue;
    const double distance = clusters.distance(here, other);
    if (distance < known.distance || known.cluster < 0) known = {other, distance};
  }
  return known;
}

Neighbor nearest_of(const ByDistances& clusters, Index here, Neighbor known) {
  return nearest(clusters, here, clusters.left.first(), known);
}
Neighbor nearest_of(ByMeans& clusters, Index here, Neighbor known) { return clusters.nearest(here, known); }

// Follows nearest neighbors until two are each other's. The cluster before stays the nearest unless another
// is strictly nearer, so that the chain shrinks; where rounding brings an earlier cluster of the chain nearer
// still, the two merge, and the chain ends before it.
template <class Clusters>
void follow_chain(Clusters& clusters, StopToken& stop, View2D<std::int64_t> pairs,
                  std::span<double> heights) {
  std::vector<Index> chain;
  std::vector<double> lengths;  // from each cluster of the chain to the next
  chain.reserve(at(clusters.left.end()));
  std::vector<Index> position(at(clusters.left.end()), -1);
  std::vector<double> height(at(clusters.left.end()), 0.0);
  for (Index step = 0; step < pairs.rows;) {
    if (stop.poll()) return;
    if (chain.empty()) chain.push_back(clusters.left.first()), position[at(chain.back())] = 0;
    const Index here = chain.back();
    Neighbor known;
    if (chain.size() > 1) known = {chain[chain.size() - 2], lengths.back()};
    const Neighbor found = nearest_of(clusters, here, known);
    if (position[at(found.cluster)] < 0) {
      position[at(found.cluster)] = static_cast<Index>(chain.size());
      chain.push_back(found.cluster);
      lengths.push_back(found.distance);
      continue;
    }
    const auto end = chain.begin() + position[at(found.cluster)];
    std::for_each(end, chain.end(), [&](Index cluster) { position[at(cluster)] = -1; });
    chain.erase(end, chain.end());
    lengths.resize(chain.empty() ? 0 : chain.size() - 1);
    const Index gone = std::min(here, found.cluster), kept = std::max(here, found.cluster);
    pairs(step, 0) = gone, pairs(step, 1) = kept;
    // Heights never fall towards the root; only rounding could make them.
    heights[at(step)] = height[at(kept)] = std::max({found.distance, height[at(gone)], height[at(kept)]});
    clusters.merge(gone, kept);
    ++step;
  }
}

// One nearest neighbor among the later clusters each; the nearest pair of all merges. Where a merge takes the
// neighbor away, its distance stays as a lower bound, and a new one is sought only once that is the least of
// all (the generic algorithm of Muellner 2011).
void merge_nearest(ByCenters& clusters, StopToken& stop, View2D<std::int64_t> pairs,
                   std::span<double> heights) {
  const Remaining& left = clusters.left;
  std::vector<Neighbor> later(at(left.end()));
  for (Index a = 0; a < left.end() && !stop.poll(); ++a)
    later[at(a)] = nearest(clusters, a, left.next(a), {});
  for (Index step = 0; step < pairs.rows && !stop.poll();) {
    Index gone = left.first();
    for (Index a = left.next(gone); a < left.end(); a = left.next(a)) {
      if (later[at(a)].distance < later[at(gone)].distance) gone = a;
    }
    if (later[at(gone)].cluster < 0) {
      later[at(gone)] = nearest(clusters, gone, left.next(gone), {});
      continue;
    }
    const Index kept = later[at(gone)].cluster;
    pairs(step, 0) = gone, pairs(step, 1) = kept;
    heights[at(step)] = later[at(gone)].distance;
    clusters.merge(gone, kept);
    for (Index a = left.first(); a < kept; a = left.next(a)) {
      Neighbor& known = later[at(a)];
      const double distance = clusters.distance(a, kept);
      if (distance < known.distance) {
        known = {kept, distance};
      } else if (known.cluster == gone || known.cluster == kept) {
        known.cluster = -1;
      }
    }
    later[at(kept)] = nearest(clusters, kept, left.next(kept), {});
    ++step;
  }
}

}  // namespace

double merged_distance(Linkage linkage, double ac, double bc, double a, double b) {
  switch (linkage) {
    case Linkage::single:
      return std::min(ac, bc);
    case Linkage::complete:
      return std::max(ac, bc);
    case Linkage::average:
      return std::clamp((a * ac + b * bc) / (a + b), std::min(ac, bc), std::max(ac, bc));
    default:
      return (ac + bc) / 2.0;
  }
}

double Centers::distance(Index one, Index other, double size, double other_size) const {
  const double squared =
      vector_ops().squared_distance_d(centers_.row(one), centers_.row(other), centers_.cols);
  return linkage_ == Linkage::ward ? 2.0 * size * other_size / (size + other_size) * squared : squared;
}

void Centers::merge(Index one, Index other, double size, double other_size, Index kept) {
  const double share = linkage_ == Linkage::median ? 0.5 : size / (size + other_size);
  for (Index j = 0; j < centers_.cols; ++j) {
    centers_(kept, j) = centers_(other, j) + share * (centers_(one, j) - centers_(other, j));
  }
}

void link_distances(std::span<double> half, std::span<const double> sizes, Linkage linkage, StopToken& stop,
                    View2D<std::int64_t> pairs, std::span<double> heights) {
  ByDistances clusters(half, sizes, linkage);
  follow_chain(clusters, stop, pairs, heights);
}

void link_centers(View2D<double> centers, std::span<const double> sizes, Linkage linkage, StopToken& stop,
                  View2D<std::int64_t> pairs, std::span<double> heights) {
  if (linkage == Linkage::ward) {
    ByMeans clusters(centers, sizes);
    follow_chain(clusters, stop, pairs, heights);
  } else {
    ByCenters clusters(centers, sizes, linkage);
    merge_nearest(clusters, stop, pairs, heights);
  }
}

void name_merges(View2D<const std::int64_t> pairs, View2D<std::int64_t> children) {
  const Index rows = pairs.rows + 1;
  std::vector<Index> parent(at(rows + pairs.rows));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto top = [&](Index node) {
    while (parent[at(node)] != node) node = parent[at(node)] = parent[at(parent[at(node)])];
    return node;
  };
  for (Index step = 0; step < pairs.rows; ++step) {
    const Index one = top(pairs(step, 0)), other = top(pairs(step, 1));
    parent[at(one)] = parent[at(other)] = rows + step;
    children(step, 0) = std::min(one, other), children(step, 1) = std::max(one, other);
  }
}

}  // namespace certus::cluster
