#include "trees/prune.hpp"

#include <queue>

namespace certus::trees {
namespace {

struct Link {
  double strength;
  std::int64_t node;
  std::int64_t leaves;  // of the branch when the link was measured; a link with another number is out of date

  bool operator<(const Link& other) const {  // std::priority_queue puts the largest first
    return strength != other.strength ? strength > other.strength : node > other.node;
  }
};

struct Branches {
  std::vector<std::int64_t> parent;
  std::vector<std::int64_t> leaves;  // 1 for a leaf, 0 for what was cut away
  std::vector<double> own_cost;      // R(t)
  std::vector<double> cost;          // R(T_t)

  double strength(std::int64_t node) const {
    return (own_cost[node] - cost[node]) / static_cast<double>(leaves[node] - 1);
  }
};

Branches measure(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
                 std::span<const double> impurity, std::span<const double> weight) {
  const std::size_t count = left.size();
  Branches branches{std::vector<std::int64_t>(count, -1), std::vector<std::int64_t>(count, 1),
                    std::vector<double>(count), std::vector<double>(count)};
  for (std::size_t i = count; i-- > 0;) {  // children come after their parents
    branches.own_cost[i] = branches.cost[i] = weight[i] * impurity[i] / weight[0];
    if (left[i] < 0) continue;
    branches.parent[left[i]] = branches.parent[right[i]] = static_cast<std::int64_t>(i);
    branches.leaves[i] = branches.leaves[left[i]] + branches.leaves[right[i]];
    branches.cost[i] = branches.cost[left[i]] + branches.cost[right[i]];
  }
  return branches;
}

// Marks everything below the node as cut away.
void cut_below(std::int64_t node, std::span<const std::int64_t> left, std::span<const std::int64_t> right,
               Branches& branches) {
  std::vector<std::int64_t> stack{node};
  while (!stack.empty()) {
    const std::int64_t current = stack.back();
    stack.pop_back();
    if (left[current] < 0) continue;
    for (const std::int64_t child : {left[current], right[current]}) {
      if (branches.leaves[child] > 1) stack.push_back(child);
      branches.leaves[child] = 0;
    }
  }
}

}  // namespace

std::vector<PruningStep> pruning_sequence(std::span<const std::int64_t> left,
                                          std::span<const std::int64_t> right,
                                          std::span<const double> impurity, std::span<const double> weight,
                                          StopToken& stop) {
  Branches branches = measure(left, right, impurity, weight);
  std::priority_queue<Link> links;
  const auto push = [&](std::int64_t node) {
    links.push({branches.strength(node), node, branches.leaves[node]});
  };
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(left.size()); ++i) {
    if (branches.leaves[i] > 1) push(i);
  }
  std::vector<PruningStep> steps{{-1, 0.0, branches.cost[0]}};
  while (branches.leaves[0] > 1 && !stop.poll()) {
    const Link weakest = links.top();
    links.pop();
    if (branches.leaves[weakest.node] != weakest.leaves) continue;
    const std::int64_t node = weakest.node;
    const std::int64_t fewer = branches.leaves[node] - 1;
    const double rise = branches.own_cost[node] - branches.cost[node];
    cut_below(node, left, right, branches);
    branches.leaves[node] = 1;
    branches.cost[node] = branches.own_cost[node];
    for (std::int64_t above = branches.parent[node]; above >= 0; above = branches.parent[above]) {
      branches.leaves[above] -= fewer;
      branches.cost[above] += rise;
      push(above);
    }
    steps.push_back({node, weakest.strength, branches.cost[0]});
  }
  return steps;
}

}  // namespace certus::trees
