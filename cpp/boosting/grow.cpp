#include "boosting/grow.hpp"

#include <algorithm>
#include <cmath>

#include "boosting/quantile.hpp"
#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

constexpr Index rows_per_block = 16384;
constexpr Index columns_per_block = 4;

// Whether a monotone column of this sign makes the lower bound of the left child tighter, or its upper bound:
// the middle of both children's values lies between all that comes below them.
void bound_children(int sign, double middle, Bounds& left, Bounds& right) {
  if (sign == 0) return;
  (sign > 0 ? left.high : left.low) = middle;
  (sign > 0 ? right.low : right.high) = middle;
}

}  // namespace

double safe_step(double newton_step, double learning_rate) {
  const double largest = std::log1p(2.0 * std::abs(newton_step));
  return std::clamp(learning_rate * newton_step, -largest, largest);
}

// A node that is not finished yet: its rows, its histogram and the best division.
struct Grower::Work {
  Index node = 0;
  Index first = 0, count = 0;
  bool side = false;  // which buffer holds its rows
  Index depth = 0;
  Sums sums;
  Bounds bounds;
  std::unique_ptr<Histogram> histogram;
  Split split;
  std::vector<std::uint8_t> columns;  // those that may be searched
  std::vector<std::uint8_t> groups;   // interaction sets that contain all columns of the path
};

Grower::Grower(const BinnedTable& table, const GrowOptions& options, std::span<const double> weights,
               int threads)
    : table_(table), options_(options), weights_(weights), threads_(threads), builder_(table, threads) {
  for (auto& buffer : buffers_) buffer.resize(static_cast<std::size_t>(table.rows));
  found_.assign(2, std::vector<Split>(static_cast<std::size_t>(table.columns)));
  options_.monotone.resize(static_cast<std::size_t>(table.columns), 0);
}

Grower::~Grower() = default;

std::unique_ptr<Histogram> Grower::take_histogram() {
  if (spare_.empty()) return std::make_unique<Histogram>(table_.columns * bins_per_column);
  auto histogram = std::move(spare_.back());
  spare_.pop_back();
  return histogram;
}

Index Grower::add_node(const Sums& sums, const Bounds& bounds, Index depth) {
  Node node;
  node.value = node_value(sums, options_.rules.l2, bounds);
  node.rows = static_cast<std::int64_t>(sums.rows);
  node.depth = static_cast<std::int32_t>(depth);
  tree_.nodes.push_back(node);
  return static_cast<Index>(tree_.nodes.size()) - 1;
}

bool Grower::may_split(const Work& work) const {
  if (options_.max_depth >= 0 && work.depth >= options_.max_depth) return false;
  return static_cast<double>(work.count) >= 2.0 * options_.rules.min_rows &&
         work.sums.hessian >= options_.rules.min_hessian;
}

void Grower::finish(std::unique_ptr<Work> work) {
  if (work->histogram) spare_.push_back(std::move(work->histogram));
  leaves_.push_back({work->node, work->first, work->count, work->side, work->bounds});
}

// The division that gains most comes first (or the shallowest node), of equal ones the older node.
bool Grower::later(const std::unique_ptr<Work>& a, const std::unique_ptr<Work>& b) const {
  if (options_.by_level && a->depth != b->depth) return a->depth > b->depth;
  if (a->split.gain != b->split.gain) return a->split.gain < b->split.gain;
  return a->node > b->node;
}

// Puts a searched node into the queue, or finishes it as a leaf if there is no division.
void Grower::keep(std::unique_ptr<Work> work) {
  if (work->split.column < 0) return finish(std::move(work));
  open_.push_back(std::move(work));
  std::push_heap(open_.begin(), open_.end(), [this](const auto& a, const auto& b) { return later(a, b); });
}

std::unique_ptr<Grower::Work> Grower::take_best() {
  std::pop_heap(open_.begin(), open_.end(), [this](const auto& a, const auto& b) { return later(a, b); });
  auto work = std::move(open_.back());
  open_.pop_back();
  return work;
}

const Tree& Grower::grow(std::span<const double> gradients, std::span<const double> hessians,
                         std::uint64_t number, StopToken& stop) {
  tree_ = Tree{};
  leaves_.clear();
  open_.clear();
  rng_ = Rng(options_.seed, number);
  const Derivatives of{gradients, hessians, weights_};
  place_on_grid(of, grid_, buffers_[0], threads_, stop);
  keep(make_root(stop));
  for (Index count = 1; !open_.empty() && !stop.poll();) {
    auto work = take_best();
    if (options_.max_leaves >= 0 && count >= options_.max_leaves) {
      finish(std::move(work));
    } else {
      ++count;
      split(std::move(work), options_.max_leaves >= 0 && count >= options_.max_leaves, stop);
    }
  }
  if (!stop.requested()) set_leaf_values(of, stop);
  return tree_;
}

std::unique_ptr<Grower::Work> Grower::make_root(StopToken& stop) {
  auto root = std::make_unique<Work>();
  root->count = table_.rows;
  root->groups.assign(options_.interactions.size(), 1);
  root->histogram = take_histogram();
  builder_.build(entries(0, table_.rows, false), grid_, *root->histogram, stop);
  for (Index bin = 0; bin < bins_per_column; ++bin) root->sums += (*root->histogram)[bin];
  root->node = add_node(root->sums, root->bounds, 0);
  if (may_split(*root)) search(root.get(), nullptr, stop);
  return root;
}

// Divides a node; its children are searched unless it was the last division that the limit allows.
void Grower::split(std::unique_ptr<Work> work, bool last, StopToken& stop) {
  auto left = std::make_unique<Work>(), right = std::make_unique<Work>();
  divide(*work, *left, *right, stop);
  const bool left_open = !last && may_split(*left), right_open = !last && may_split(*right);
  if (left_open || right_open) {
    Work& small = left->count <= right->count ? *left : *right;
    Work& large = left->count <= right->count ? *right : *left;
    small.histogram = take_histogram();
    builder_.build(entries(small.first, small.count, small.side), grid_, *small.histogram, stop);
    large.histogram = std::move(work->histogram);
    search(&small, &large, stop);
    if (!left_open) left->split = Split{};
    if (!right_open) right->split = Split{};
  }
  if (work->histogram) spare_.push_back(std::move(work->histogram));
  keep(std::move(left));
  keep(std::move(right));
}

// Which columns the node may use: those of its interaction sets, and of these a random part.
void Grower::choose_columns(Work& work) {
  const std::size_t columns = static_cast<std::size_t>(table_.columns);
  work.columns.assign(columns, options_.interactions.empty() ? 1 : 0);
  for (std::size_t group = 0; group < work.groups.size(); ++group) {
    if (!work.groups[group]) continue;
    for (std::size_t j = 0; j < columns; ++j) work.columns[j] |= options_.interactions[group][j];
  }
  if (options_.column_share >= 1.0) return;
  std::vector<Index> allowed;
  for (std::size_t j = 0; j < columns; ++j) {
    if (work.columns[j]) allowed.push_back(static_cast<Index>(j));
  }
  const auto wanted = static_cast<std::size_t>(
      std::max(1.0, std::ceil(options_.column_share * static_cast<double>(allowed.size()))));
  rng_.shuffle(allowed.begin(), allowed.end());
  for (std::size_t i = wanted; i < allowed.size(); ++i) work.columns[allowed[i]] = 0;
}

// The best divisions of a node, or of two siblings of which the larger still has its parent's histogram.
void Grower::search(Work* small, Work* large, StopToken& stop) {
  Work* nodes[2] = {small, large};
  for (Work* work : nodes) {
    if (work != nullptr) choose_columns(*work);
  }
  const int threads = table_.columns > columns_per_block ? threads_ : 1;
  parallel_ranges(table_.columns, columns_per_block, threads, stop, [&](Index first, Index last, int) {
    for (Index column = first; column < last; ++column) {
      if (large != nullptr)
        builder_.subtract(*large->histogram, *small->histogram, column, *large->histogram);
      for (int i = 0; i < 2; ++i) {
        if (nodes[i] == nullptr) continue;
        const Work& work = *nodes[i];
        found_[i][column] =
            work.columns[column]
                ? best_split(table_, column, work.histogram->data() + column * bins_per_column, work.sums,
                             work.bounds, options_.monotone[column], options_.rules)
                : Split{};
      }
    }
  });
  for (int i = 0; i < 2; ++i) {
    if (nodes[i] == nullptr) continue;
    nodes[i]->split = Split{};
    for (const Split& split : found_[i]) {
      if (split.column >= 0 && split.gain > nodes[i]->split.gain) nodes[i]->split = split;
    }
  }
}

void Grower::divide(Work& work, Work& left, Work& right, StopToken& stop) {
  const Split& split = work.split;
  const Index left_count = partition(work, stop);
  left.first = work.first;
  left.count = left_count;
  right.first = work.first + left_count;
  right.count = work.count - left_count;
  left.sums = split.left;
  right.sums = work.sums - split.left;
  for (Work* child : {&left, &right}) {
    child->side = !work.side;
    child->depth = work.depth + 1;
    child->bounds = work.bounds;
    child->groups = work.groups;
    for (std::size_t group = 0; group < child->groups.size(); ++group) {
      child->groups[group] &= options_.interactions[group][split.column];
    }
  }
  share_bounds(work, left, right);
  left.node = add_node(left.sums, left.bounds, left.depth);
  right.node = add_node(right.sums, right.bounds, right.depth);
  Node& node = tree_.nodes[work.node];
  node.left = static_cast<std::int32_t>(left.node);
  node.column = static_cast<std::int32_t>(split.column);
  node.gain = split.gain;
  node.missing_left = split.missing_left;
  node.bin = split.bin;
  if (split.categorical) {
    node.categories = static_cast<std::int32_t>(tree_.category_sets.size());
    tree_.category_sets.push_back(split.left_bins);
  } else {
    const bool all_numbers = split.bin + 1 >= table_.bins[split.column];
    node.threshold =
        all_numbers ? std::numeric_limits<double>::infinity() : table_.edges(split.column, split.bin);
  }
}

// A monotone column puts the middle of the children's values between them, for all of their descendants.
void Grower::share_bounds(const Work& work, Work& left, Work& right) const {
  const int sign = options_.monotone[work.split.column];
  if (sign == 0) return;
  const double middle = 0.5 * (node_value(left.sums, options_.rules.l2, work.bounds) +
                               node_value(right.sums, options_.rules.l2, work.bounds));
  bound_children(sign, middle, left.bounds, right.bounds);
}

// Writes the rows of the left child, then those of the right one, into the other buffer, in their old order;
// returns the number of left ones. The histogram has counted them, so two threads can work from both ends.
Index Grower::partition(const Work& work, StopToken& stop) {
  const Split& split = work.split;
  std::uint8_t left_bin[bins_per_column];
  for (int bin = 0; bin < bins_per_column; ++bin) {
    left_bin[bin] = split.categorical ? contains(split.left_bins, bin) : bin <= split.bin;
  }
  left_bin[missing_bin] = split.missing_left;
  const Bin* column = table_.column(split.column);
  const Entry* from = entries(work.first, work.count, work.side).data();
  Entry* to = entries(work.first, work.count, !work.side).data();
  const Index lefts = static_cast<Index>(split.left.rows), middle = work.count / 2;
  const auto place = [&](Index first, Index last, Index step, Index left, Index right) {
    for (Index start = first; start != last && !stop.poll();) {  // polls once in a while
      const Index end = std::abs(last - start) > rows_per_block ? start + step * rows_per_block : last;
      for (Index i = start; i != end; i += step) {
        const bool goes = left_bin[column[from[i].row]];
        to[goes ? left : right] = from[i];  // a conditional move, not a branch
        left += goes ? step : 0;
        right += goes ? 0 : step;
      }
      start = end;
    }
  };
  parallel_for(2, work.count < rows_per_block ? 1 : threads_, stop, [&](Index half, int) {
    if (half == 0) {
      place(0, middle, 1, 0, lefts);
    } else {
      place(work.count - 1, middle - 1, -1, lefts - 1, work.count - 1);
    }
  });
  return lefts;
}

// From the gradients themselves instead of the grid.
void Grower::set_leaf_values(const Derivatives& of, StopToken& stop) {
  parallel_for(static_cast<Index>(leaves_.size()), threads_, stop, [&](Index i, int) {
    const Leaf& leaf = leaves_[i];
    Sums sums;
    const Entry* rows = buffers_[leaf.side].data() + leaf.first;
    if (of.unit_hessian()) {
      for (Index k = 0; k < leaf.count; ++k) sums.gradient += of.gradients[rows[k].row];
      sums.hessian = static_cast<double>(leaf.count);
    } else {
      for (Index k = 0; k < leaf.count; ++k) {
        const double weight = of.weight(rows[k].row);
        sums.gradient += weight * of.gradients[rows[k].row];
        sums.hessian += weight * of.hessian(rows[k].row);
      }
    }
    const double step = node_value(sums, options_.rules.l2, leaf.bounds);
    tree_.nodes[leaf.node].value =
        options_.bounded_steps ? safe_step(step, options_.learning_rate) : options_.learning_rate * step;
  });
}

void Grower::add_values(std::span<double> prediction, StopToken& stop) const {
  parallel_for(static_cast<Index>(leaves_.size()), threads_, stop, [&](Index i, int) {
    const Leaf& leaf = leaves_[i];
    const double value = tree_.nodes[leaf.node].value;
    const Entry* rows = buffers_[leaf.side].data() + leaf.first;
    for (Index k = 0; k < leaf.count; ++k) prediction[rows[k].row] += value;
  });
}

void Grower::use_quantiles(std::span<const double> target, std::span<const double> prediction, double share,
                           StopToken& stop) {
  // The rows of every node lie in one piece, those of its leaves one after the other.
  const Index count = static_cast<Index>(tree_.nodes.size());
  std::vector<WeightedValue> residuals(static_cast<std::size_t>(table_.rows));
  std::vector<std::pair<Index, Index>> ranges(static_cast<std::size_t>(count));
  for (const Leaf& leaf : leaves_) ranges[leaf.node] = {leaf.first, leaf.first + leaf.count};
  for (Index node = count - 1; node >= 0; --node) {
    const Index left = tree_.nodes[node].left;
    if (left >= 0) ranges[node] = {ranges[left].first, ranges[left + 1].second};
  }
  parallel_for(static_cast<Index>(leaves_.size()), threads_, stop, [&](Index i, int) {
    const Leaf& leaf = leaves_[i];
    const Entry* rows = buffers_[leaf.side].data() + leaf.first;
    for (Index k = 0; k < leaf.count; ++k) {
      const Row row = rows[k].row;
      residuals[leaf.first + k] = {target[row] - prediction[row], weights_.empty() ? 1.0 : weights_[row]};
    }
  });
  const bool ordered =
      std::any_of(options_.monotone.begin(), options_.monotone.end(), [](int s) { return s != 0; });
  std::vector<double> values(static_cast<std::size_t>(count), 0.0);
  parallel_for(count, threads_, stop, [&](Index node, int) {
    const auto [first, last] = ranges[node];
    const bool inner = tree_.nodes[node].left >= 0;
    if (inner && !ordered) return;
    const std::span<WeightedValue> own(residuals.data() + first, static_cast<std::size_t>(last - first));
    if (!inner && !ordered) {
      values[node] = weighted_quantile(own, share);
      return;
    }
    std::vector<WeightedValue> copy(own.begin(), own.end());  // ranges of nodes above overlap with it
    values[node] = weighted_quantile(copy, share);
  });
  if (ordered) keep_order(values);
  for (const Leaf& leaf : leaves_) tree_.nodes[leaf.node].value = options_.learning_rate * values[leaf.node];
}

// Moves the values of nodes, from the root down, to where monotone columns above them allow.
void Grower::keep_order(std::vector<double>& values) const {
  std::vector<Bounds> bounds(values.size());
  for (std::size_t node = 0; node < values.size(); ++node) {
    const Index left = tree_.nodes[node].left;
    if (left < 0) continue;
    bounds[left] = bounds[left + 1] = bounds[node];
    for (const Index child : {left, left + 1}) {
      values[child] = std::clamp(values[child], bounds[node].low, bounds[node].high);
    }
    const double middle = 0.5 * values[left] + 0.5 * values[left + 1];
    bound_children(options_.monotone[tree_.nodes[node].column], middle, bounds[left], bounds[left + 1]);
    for (const Index child : {left, left + 1}) {
      values[child] = std::clamp(values[child], bounds[child].low, bounds[child].high);
    }
  }
}

}  // namespace certus::boosting
