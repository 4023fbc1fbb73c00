// Growing a forest (Breiman 2001; Geurts, Ernst, Wehenkel 2006): trees that differ by the rows that they see
// and by the columns (or thresholds) that are drawn at their nodes. Tree t depends on its seeds only, so a
// forest has equal bits for any number of threads and can be extended later.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "ensemble/bootstrap.hpp"
#include "trees/grow.hpp"

namespace certus::ensemble {

// One seed for the bag and one for the draws at the nodes of each tree.
struct ForestSeeds {
  std::span<const std::uint64_t> bags;
  std::span<const std::uint64_t> nodes;
};

struct ForestOptions {
  trees::GrowOptions tree;           // its seed and min_weight_leaf are set per tree
  double min_weight_fraction = 0.0;  // of a tree's total weight, in every leaf
  std::optional<BagRule> bag;        // nothing: every tree sees all rows with the target's weights
  bool balance_classes = false;      // in each bag, all classes get the same total weight
};

// Empty trees after a stop.
std::vector<trees::TreeNodes> grow_forest_dense(View2D<const float> x, const trees::Target& target,
                                                const ForestSeeds& seeds, const ForestOptions& options,
                                                int threads, StopToken& stop);

// The same for a table with bins; its values need not be by columns.
std::vector<trees::TreeNodes> grow_forest_binned(trees::BinnedView table, const trees::Target& target,
                                                 const ForestSeeds& seeds, const ForestOptions& options,
                                                 int threads, StopToken& stop);

// The same for a table in compressed-column form.
std::vector<trees::TreeNodes> grow_forest_sparse(std::span<const float> data,
                                                 std::span<const std::int32_t> indices,
                                                 std::span<const std::int32_t> indptr,
                                                 const trees::Target& target, const ForestSeeds& seeds,
                                                 const ForestOptions& options, int threads, StopToken& stop);

}  // namespace certus::ensemble
