// Growing a classification or regression tree greedily (Breiman, Friedman, Olshen, Stone 1984): split the
// rows of a node where the impurity falls most, and go on with both sides. Exact: every border between two
// different values of every column is tried. O(columns x rows) per level after one sort of each column.
//
// Depth first, large nodes are searched by all threads, column by column; nodes below a fixed size become
// tasks for one thread each. Neither depends on the number of threads, so the trees have equal bits.
#pragma once

#include "core/stop.hpp"
#include "trees/nodes.hpp"
#include "trees/splitter.hpp"

namespace certus::trees {

TreeNodes grow_tree(TreeData data, int threads, StopToken& stop);

}  // namespace certus::trees
