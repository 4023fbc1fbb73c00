// The condensed tree of a hierarchy of merges (Campello, Moulavi, Sander 2013).
//
// Read from the top, a cluster of the hierarchy comes apart at the height of its merge. All merges of one
// height count as one, whose parts are the clusters below that height: their order does not matter. Parts of
// at least `least` rows are clusters; if there are two or more, each begins a new one, a single one is the
// old cluster continued, and the rows of smaller parts leave the old cluster at that height. O(n).
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::cluster {

// Clusters are numbered from the root, 0, down: a parent comes before its children.
struct CondensedTree {
  std::span<std::int64_t> row_cluster;  // the last cluster that each row belongs to
  std::span<double> row_height;         // where it leaves that cluster
  std::span<std::int64_t> parent;       // of a cluster; -1 for the root
  std::span<double> birth;              // the height at which a cluster begins; infinite for the root
  std::span<std::int64_t> size;         // its number of rows
};

// `children` and ascending `heights` as from name_merges; least >= 2. Room for 1 + 2 n / least clusters.
// Returns how many there are.
Index condense(View2D<const std::int64_t> children, std::span<const double> heights, std::int64_t least,
               StopToken& stop, CondensedTree out);

}  // namespace certus::cluster
