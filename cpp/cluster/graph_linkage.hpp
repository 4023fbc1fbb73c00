// Bottom-up merging where only connected clusters may merge.
//
// A merged cluster is connected to whatever one of its parts was. Under single, complete, average and
// weighted its distance comes from those of the connections of its parts (one alone passes its distance on);
// under ward, centroid and median from the centers. Every step merges the nearest connected pair; of equal
// distances the pair with the lowest clusters. A heap of connections, outdated ones passed over: O(m log m)
// for m connections made.
#pragma once

#include <cstdint>
#include <span>

#include "cluster/linkage.hpp"

namespace certus::cluster {

// `edges` holds pairs of rows, each once, `lengths` their distances. `centers` has a line for each row and
// for each merge, or no column if distances are given by the edges. children(i, .) are the two parts of merge
// i, heights[i] its distance (squared for centers). The graph must be connected, or as many parts be left as
// merges leave.
void link_graph(View2D<const std::int64_t> edges, std::span<const double> lengths, View2D<double> centers,
                std::span<const double> sizes, Linkage linkage, StopToken& stop,
                View2D<std::int64_t> children, std::span<double> heights);

}  // namespace certus::cluster
