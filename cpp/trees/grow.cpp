#include "trees/grow.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "core/parallel.hpp"

namespace certus::trees {
namespace {

// A node with at most this many entries (rows x columns) is grown to the end by one thread.
constexpr Index task_entries = 1 << 18;

Index add_node(TreeNodes& nodes, const NodeSplitter& splitter, const OpenNode& node) {
  const Index added =
      nodes.add_leaf(node.summary.impurity, static_cast<std::uint32_t>(node.count), node.summary.weight);
  splitter.write_value(node, nodes.value_of(added));
  nodes.max_depth = std::max(nodes.max_depth, node.depth);
  return added;
}

void set_split(TreeNodes& nodes, Index node, const Split& split) {
  nodes.feature[node] = static_cast<std::int32_t>(split.feature);
  nodes.threshold[node] = split.threshold;
  nodes.missing_left[node] = split.missing_left;
  if (!split.categories.empty()) nodes.categories[node] = split.categories;
}

void set_child(TreeNodes& nodes, Index parent, bool is_left, Index child) {
  if (parent >= 0) (is_left ? nodes.left : nodes.right)[parent] = static_cast<std::int32_t>(child);
}

struct Waiting {
  OpenNode node;
  Index parent = -1;
  bool is_left = false;
};

// Grows everything below `start` in pre-order. `set_aside` may take a node away instead of growing it here;
// it returns what to write as the parent's child, or no_child to have the node grown.
template <class SetAside>
void grow_depth_first(OpenNode start, NodeSplitter& splitter, TreeNodes& nodes, StopToken& stop,
                      SetAside&& set_aside) {
  std::vector<Waiting> stack;
  stack.push_back({std::move(start), -1, false});
  while (!stack.empty() && !stop.poll()) {
    Waiting current = std::move(stack.back());
    stack.pop_back();
    if (const std::int32_t reference = set_aside(current.node); reference != no_child) {
      set_child(nodes, current.parent, current.is_left, reference);
      continue;
    }
    const Index added = add_node(nodes, splitter, current.node);
    set_child(nodes, current.parent, current.is_left, added);
    if (splitter.is_final(current.node)) continue;
    std::optional<Split> split = splitter.find(current.node, stop);
    if (!split) continue;
    set_split(nodes, added, *split);
    splitter.divide_columns(current.node, *split, stop);
    stack.push_back({std::move(split->right), added, false});
    stack.push_back({std::move(split->left), added, true});
  }
}

// Tasks are named by references below `undefined` in the child arrays of the top of the tree.
std::int32_t task_reference(std::size_t task) { return undefined - 1 - static_cast<std::int32_t>(task); }
std::size_t task_of(std::int32_t reference) { return static_cast<std::size_t>(undefined - 1 - reference); }

// The top of the tree and the sub-trees below it as one tree in pre-order.
TreeNodes join(const TreeNodes& top, const std::vector<TreeNodes>& subtrees) {
  struct Pending {
    std::int32_t reference;
    Index parent;
    bool is_left;
  };
  TreeNodes whole(top.value_size);
  Index count = top.count();
  for (const TreeNodes& subtree : subtrees) count += subtree.count();
  whole.reserve(count);
  whole.max_depth = top.max_depth;
  std::vector<Pending> stack{{0, -1, false}};
  while (!stack.empty()) {
    const Pending pending = stack.back();
    stack.pop_back();
    const Index offset = whole.count();
    set_child(whole, pending.parent, pending.is_left, offset);
    if (pending.reference >= 0) {
      const Index node = whole.add_copy(top, pending.reference);
      if (top.left[pending.reference] == no_child) continue;
      stack.push_back({top.right[pending.reference], node, false});
      stack.push_back({top.left[pending.reference], node, true});
      continue;
    }
    const TreeNodes& subtree = subtrees[task_of(pending.reference)];
    whole.max_depth = std::max(whole.max_depth, subtree.max_depth);
    for (Index node = 0; node < subtree.count(); ++node) {
      const Index added = whole.add_copy(subtree, node);
      if (whole.left[added] == no_child) continue;
      whole.left[added] += static_cast<std::int32_t>(offset);
      whole.right[added] += static_cast<std::int32_t>(offset);
    }
  }
  return whole;
}

TreeNodes grow_by_depth(TreeData& data, NodeSplitter& splitter, OpenNode root, int threads, StopToken& stop) {
  const Index value_size = data.target.value_size();
  std::vector<OpenNode> tasks;
  const auto to_task = [&](OpenNode& node) -> std::int32_t {
    if (node.depth == 0 || splitter.is_final(node)) return no_child;
    if (node.count * static_cast<Index>(node.columns.size()) > task_entries) return no_child;
    tasks.push_back(std::move(node));
    return task_reference(tasks.size() - 1);
  };
  TreeNodes top(value_size);
  grow_depth_first(std::move(root), splitter, top, stop, to_task);
  std::vector<TreeNodes> subtrees(tasks.size(), TreeNodes(value_size));
  std::vector<std::unique_ptr<NodeSplitter>> splitters;
  for (int worker = 0; worker < threads; ++worker) splitters.push_back(splitter.another());
  parallel_for(static_cast<Index>(tasks.size()), threads, stop, [&](Index task, int worker) {
    grow_depth_first(std::move(tasks[task]), *splitters[worker], subtrees[task], stop,
                     [](const OpenNode&) { return no_child; });
  });
  return stop.requested() ? TreeNodes(value_size) : join(top, subtrees);
}

struct Frontier {
  Index id = 0;
  OpenNode node;
  std::optional<Split> split;

  double improvement() const { return split ? split->improvement : 0.0; }
};

// Splits the node with the largest improvement first, until there are `max_leaf_nodes` leaves.
TreeNodes grow_by_improvement(TreeData& data, NodeSplitter& splitter, OpenNode root, StopToken& stop) {
  TreeNodes nodes(data.target.value_size());
  const auto later = [](const std::unique_ptr<Frontier>& a, const std::unique_ptr<Frontier>& b) {
    return a->improvement() != b->improvement() ? a->improvement() < b->improvement() : a->id > b->id;
  };
  std::vector<std::unique_ptr<Frontier>> heap;
  const auto push = [&](OpenNode node) {
    auto entry = std::make_unique<Frontier>();
    entry->id = add_node(nodes, splitter, node);
    if (!splitter.is_final(node)) entry->split = splitter.find(node, stop);
    entry->node = std::move(node);
    const Index id = entry->id;
    if (entry->split) {
      heap.push_back(std::move(entry));
      std::push_heap(heap.begin(), heap.end(), later);
    }
    return id;
  };
  push(std::move(root));
  nodes.max_depth = 0;
  for (Index leaves = 1; leaves < data.options.max_leaf_nodes && !heap.empty() && !stop.poll(); ++leaves) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const std::unique_ptr<Frontier> best = std::move(heap.back());
    heap.pop_back();
    set_split(nodes, best->id, *best->split);
    splitter.divide_columns(best->node, *best->split, stop);
    const Index left = push(std::move(best->split->left));
    const Index right = push(std::move(best->split->right));
    nodes.left[best->id] = static_cast<std::int32_t>(left);
    nodes.right[best->id] = static_cast<std::int32_t>(right);
  }
  return nodes;
}

TreeNodes grow(TreeData data, int threads, StopToken& stop) {
  if (stop.poll()) return TreeNodes(data.target.value_size());
  NodeSplitter splitter(data, make_search(data.options.criterion, data.target, threads), threads);
  OpenNode root = splitter.root();
  data.total_weight = root.summary.weight;
  data.pure_below = std::max(std::numeric_limits<double>::epsilon() * root.summary.impurity,
                             data.options.negligible_impurity);
  data.rounding = gain_tolerance * root.summary.impurity;
  return data.options.max_leaf_nodes < 0 ? grow_by_depth(data, splitter, std::move(root), threads, stop)
                                         : grow_by_improvement(data, splitter, std::move(root), stop);
}

TreeData make_data(const Target& target, std::span<const Row> rows, const GrowOptions& options,
                   Index features) {
  TreeData data;
  data.rows.assign(rows.begin(), rows.end());
  data.target = target;
  data.options = options;
  data.features = features;
  return data;
}

// Keeping lists sorted costs little for every column of the table; sorting anew costs more, but only for the
// columns that are searched; random thresholds need no sorting at all. The factors were measured.
bool worth_listing(const GrowOptions& options, Index features) {
  return options.max_features * (options.random_thresholds ? 2 : 12) >= features;
}

}  // namespace

TreeNodes grow_dense(View2D<const float> x, const Target& target, std::span<const Row> rows,
                     const GrowOptions& options, int threads, StopToken& stop) {
  TreeData data = make_data(target, rows, options, x.cols);
  if (worth_listing(options, x.cols)) {
    data.columns = ListedColumns::dense(x, rows, threads, stop);
  } else {
    data.columns = std::make_unique<GatheredColumns>(x, threads, stop);
  }
  return grow(std::move(data), threads, stop);
}

SharedColumns::SharedColumns(View2D<const float> x, const GrowOptions& options, int threads, StopToken& stop)
    : rows_(x.rows), features_(x.cols) {
  if (worth_listing(options, x.cols)) {
    std::vector<Row> all(static_cast<std::size_t>(x.rows));
    std::iota(all.begin(), all.end(), Row{0});
    listed_ = ListedColumns::dense(x, all, threads, stop);
  } else {
    gathered_ = std::make_unique<GatheredColumns>(x, threads, stop);
  }
}

std::unique_ptr<Columns> SharedColumns::restricted(std::span<const Row> rows, int threads,
                                                   StopToken& stop) const {
  if (gathered_) return std::make_unique<GatheredColumns>(gathered_->table(), threads, stop);
  RowBits kept(rows_);
  for (const Row row : rows) kept.set(row, true);
  return listed_->restricted(rows, kept, threads, stop);
}

TreeNodes grow_shared(const SharedColumns& columns, const Target& target, std::span<const Row> rows,
                      const GrowOptions& options, int threads, StopToken& stop) {
  if (stop.requested()) return TreeNodes(target.value_size());
  TreeData data = make_data(target, rows, options, columns.features());
  data.columns = columns.restricted(rows, threads, stop);
  return grow(std::move(data), threads, stop);
}

TreeNodes grow_binned(const BinnedView& table, const Target& target, std::span<const Row> rows,
                      const GrowOptions& options, int threads, StopToken& stop) {
  TreeData data = make_data(target, rows, options, table.columns);
  data.columns = std::make_unique<BinnedColumns>(table);
  return grow(std::move(data), threads, stop);
}

TreeNodes grow_sparse(std::span<const float> data, std::span<const std::int32_t> indices,
                      std::span<const std::int32_t> indptr, const Target& target, std::span<const Row> rows,
                      const GrowOptions& options, int threads, StopToken& stop) {
  TreeData tree = make_data(target, rows, options, static_cast<Index>(indptr.size()) - 1);
  std::vector<std::uint8_t> kept(static_cast<std::size_t>(target.rows), 0);
  for (const Row row : rows) kept[row] = 1;
  tree.columns = ListedColumns::sparse(data, indices, indptr, kept, threads, stop);
  return grow(std::move(tree), threads, stop);
}

}  // namespace certus::trees
