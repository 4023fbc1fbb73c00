#include "cluster/graph_linkage.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace certus::cluster {
namespace {

struct Connection {
  Index cluster;
  double distance;
};
using Connections = std::vector<Connection>;
using Candidate = std::tuple<double, Index, Index>;  // distance, lower cluster, higher cluster

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class Graph {
 public:
  Graph(View2D<double> centers, std::span<const double> sizes, Linkage linkage, Index merges)
      : centers_(centers, linkage),
        by_centers_(linkage == Linkage::ward || linkage == Linkage::centroid || linkage == Linkage::median),
        linkage_(linkage),
        sizes_(sizes.begin(), sizes.end()),
        gone_(sizes.size() + at(merges), 0),
        connections_(sizes.size() + at(merges)) {
    sizes_.resize(sizes.size() + at(merges));
  }

  void connect(Index low, Index high, double length) {
    const double distance = by_centers_ ? between(low, high) : length;
    connections_[at(low)].push_back({high, distance});
    connections_[at(high)].push_back({low, distance});
    candidates_.push({distance, low, high});
  }
  void sort() {
    for (Connections& list : connections_) {
      std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.cluster < b.cluster; });
    }
  }
  // The nearest connected pair; nothing if none is connected.
  std::optional<Candidate> nearest_pair() {
    while (!candidates_.empty()) {
      const Candidate found = candidates_.top();
      candidates_.pop();
      if (!gone_[at(std::get<1>(found))] && !gone_[at(std::get<2>(found))]) return found;
    }
    return std::nullopt;
  }

  void merge(Index a, Index b, Index merged) {
    gone_[at(a)] = gone_[at(b)] = 1;
    sizes_[at(merged)] = sizes_[at(a)] + sizes_[at(b)];
    if (by_centers_) centers_.merge(a, b, sizes_[at(a)], sizes_[at(b)], merged);
    join(a, b, connections_[at(merged)]);
    for (Connection& link : connections_[at(merged)]) {
      if (by_centers_) link.distance = between(link.cluster, merged);
      connections_[at(link.cluster)].push_back({merged, link.distance});  // the highest: lists stay sorted
      candidates_.push({link.distance, link.cluster, merged});
    }
    Connections().swap(connections_[at(a)]);
    Connections().swap(connections_[at(b)]);
  }

 private:
  double between(Index a, Index b) const { return centers_.distance(a, b, sizes_[at(a)], sizes_[at(b)]); }

  void join(Index a, Index b, Connections& joined) const {
    const Connections &one = connections_[at(a)], &other = connections_[at(b)];
    for (std::size_t i = 0, j = 0; i < one.size() || j < other.size();) {
      const bool from_one = j == other.size() || (i < one.size() && one[i].cluster <= other[j].cluster);
      const bool from_other = i == one.size() || (j < other.size() && other[j].cluster <= one[i].cluster);
      Connection link = from_one ? one[i] : other[j];
      if (from_one && from_other) {
        link.distance =
            merged_distance(linkage_, one[i].distance, other[j].distance, sizes_[at(a)], sizes_[at(b)]);
      }
      i += from_one ? 1 : 0;
      j += from_other ? 1 : 0;
      if (!gone_[at(link.cluster)]) joined.push_back(link);
    }
  }

  Centers centers_;
  bool by_centers_;
  Linkage linkage_;
  std::vector<double> sizes_;
  std::vector<char> gone_;
  std::vector<Connections> connections_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
};

}  // namespace

void link_graph(View2D<const std::int64_t> edges, std::span<const double> lengths, View2D<double> centers,
                std::span<const double> sizes, Linkage linkage, StopToken& stop,
                View2D<std::int64_t> children, std::span<double> heights) {
  Graph graph(centers, sizes, linkage, children.rows);
  for (Index i = 0; i < edges.rows; ++i) graph.connect(edges(i, 0), edges(i, 1), lengths[at(i)]);
  graph.sort();
  const Index rows = static_cast<Index>(sizes.size());
  for (Index step = 0; step < children.rows && !stop.poll(); ++step) {
    const std::optional<Candidate> found = graph.nearest_pair();
    if (!found) return;
    const auto [distance, low, high] = *found;
    children(step, 0) = low, children(step, 1) = high;
    heights[at(step)] = distance;
    graph.merge(low, high, rows + step);
  }
}

}  // namespace certus::cluster
