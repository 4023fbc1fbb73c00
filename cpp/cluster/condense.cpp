#include "cluster/condense.hpp"

#include <limits>
#include <vector>

namespace certus::cluster {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class Condensing {
 public:
  Condensing(View2D<const std::int64_t> children, std::span<const double> heights, std::int64_t least,
             CondensedTree out)
      : children_(children),
        heights_(heights),
        least_(least),
        rows_(children.rows + 1),
        size_(at(children.rows), 0),
        place_(at(rows_ + children.rows)),
        out_(out) {
    for (Index merge = 0; merge < children.rows; ++merge) {
      size_[at(merge)] = size(children(merge, 0)) + size(children(merge, 1));
    }
  }

  Index run(StopToken& stop) {
    begin(-1, std::numeric_limits<double>::infinity(), rows_);
    place_.back().cluster = 0;
    for (Index merge = children_.rows - 1; merge >= 0 && !stop.poll(); --merge) {
      const Place here = place_[at(rows_ + merge)];
      if (here.opened) continue;
      if (here.left) {
        place_[at(children_(merge, 0))] = place_[at(children_(merge, 1))] = here;
      } else {
        come_apart(merge, here.cluster);
      }
    }
    for (Index row = 0; row < rows_; ++row) {
      out_.row_cluster[at(row)] = place_[at(row)].cluster;
      out_.row_height[at(row)] = place_[at(row)].height;
    }
    return clusters_;
  }

 private:
  struct Place {
    Index cluster = 0;
    double height = 0.0;  // where the rows of this node left the cluster
    bool left = false;    // whether they did
    bool opened = false;  // whether the node is one merge with the node above
  };

  Index size(Index node) const { return node < rows_ ? 1 : size_[at(node - rows_)]; }

  Index begin(Index parent, double birth, Index size) {
    out_.parent[at(clusters_)] = parent;
    out_.birth[at(clusters_)] = birth;
    out_.size[at(clusters_)] = size;
    return clusters_++;
  }

  void come_apart(Index merge, Index cluster) {
    const double height = heights_[at(merge)];
    parts_.clear();
    waiting_.assign(1, rows_ + merge);
    Index large = 0;
    while (!waiting_.empty()) {
      const Index node = waiting_.back();
      waiting_.pop_back();
      if (node >= rows_ && heights_[at(node - rows_)] == height) {
        place_[at(node)].opened = true;
        waiting_.push_back(children_(node - rows_, 1));
        waiting_.push_back(children_(node - rows_, 0));
      } else {
        parts_.push_back(node);
        large += size(node) >= least_;
      }
    }
    for (const Index node : parts_) {
      Place& place = place_[at(node)];
      place.cluster = cluster;
      if (size(node) < least_) {
        place.height = height;
        place.left = true;
      } else if (large > 1) {
        place.cluster = begin(cluster, height, size(node));
      }
    }
  }

  View2D<const std::int64_t> children_;
  std::span<const double> heights_;
  Index least_, rows_, clusters_ = 0;
  std::vector<Index> size_;   // of a merge
  std::vector<Place> place_;  // of a node: rows, then merges
  std::vector<Index> parts_, waiting_;
  CondensedTree out_;
};

}  // namespace

Index condense(View2D<const std::int64_t> children, std::span<const double> heights, std::int64_t least,
               StopToken& stop, CondensedTree out) {
  return Condensing(children, heights, least, out).run(stop);
}

}  // namespace certus::cluster
