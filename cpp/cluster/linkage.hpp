// Bottom-up merging of clusters under a linkage.
//
// The distance of a merged cluster to any other follows from those of its parts (Lance and Williams 1967),
// with sizes a, b and distances d(ac), d(bc) to a third cluster:
//   complete  max(d(ac), d(bc))      average  (a d(ac) + b d(bc)) / (a + b)
//   single    min(d(ac), d(bc))      weighted (d(ac) + d(bc)) / 2
// or from their centers m, as squared distances:
//   ward      2 a c / (a + c) |m_a - m_c|^2, m the mean       centroid  |m_a - m_c|^2, m the mean
//   median    |m_a - m_c|^2, m of a merged cluster the middle of the centers of its parts
// Under ward and the first four a merge brings no cluster nearer to another, so that mutual nearest neighbors
// may merge in any order: the nearest-neighbor chain (Benzecri 1982, Murtagh 1983) takes O(n^2) comparisons.
// Under centroid and median every step merges the nearest pair, found by one nearest neighbor per cluster.
// Memory: half of the matrix, or the centers alone.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::cluster {

enum class Linkage : int { single, complete, average, weighted, ward, centroid, median };

// The distance of a merged cluster under single, complete, average or weighted; never below both parts'
// distances.
double merged_distance(Linkage linkage, double ac, double bc, double a, double b);

// Clusters that are known by their centers: ward, centroid and median. The view is overwritten.
class Centers {
 public:
  Centers(View2D<double> centers, Linkage linkage) : centers_(centers), linkage_(linkage) {}
  double distance(Index one, Index other, double size, double other_size) const;
  // Puts the center of the merged cluster into `kept`, which may be a new place.
  void merge(Index one, Index other, double size, double other_size, Index kept);

 private:
  View2D<double> centers_;
  Linkage linkage_;
};

// Merges all rows: pairs(i, .) = one row of each part of merge i, heights[i] its (for centers squared)
// distance. `half` holds the distances (0, 1), (0, 2), ... (n-2, n-1) and is overwritten.
void link_distances(std::span<double> half, std::span<const double> sizes, Linkage linkage, StopToken& stop,
                    View2D<std::int64_t> pairs, std::span<double> heights);
void link_centers(View2D<double> centers, std::span<const double> sizes, Linkage linkage, StopToken& stop,
                  View2D<std::int64_t> pairs, std::span<double> heights);

// Names the parts of each merge: rows 0 to n - 1, the cluster of merge i n + i, the lower one first.
void name_merges(View2D<const std::int64_t> pairs, View2D<std::int64_t> children);

}  // namespace certus::cluster
