#include "trees/splitter.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"

namespace certus::trees {
namespace {

// Fewer entries than this are searched by one thread: waking another costs more.
constexpr Index entries_worth_a_thread = 1 << 15;
constexpr std::uint64_t ties_stream = ~std::uint64_t{0};  // columns have the others

// One threshold, uniform between the smallest and the largest value; the missing values go to a random side.
struct RandomSplit {
  RandomSplit(std::uint64_t seed, std::uint32_t feature, double low, double high, bool some_missing) {
    Rng rng(seed, feature + 1);
    threshold = low + rng.uniform() * (high - low);
    if (threshold >= high) threshold = low;
    missing_left = some_missing && rng.below(2) == 1;
  }
  double threshold = 0.0;
  bool missing_left = false;
};

// Whether one pass over the node's rows takes long enough to look at the clock after it.
bool slow(const OpenNode& node) { return node.count > rows_per_poll; }

}  // namespace

NodeSplitter::NodeSplitter(TreeData& data, std::unique_ptr<SplitSearch> search, int threads)
    : data_(data),
      search_(std::move(search)),
      threads_(threads),
      goes_left_(data.target.rows),
      scratch_(static_cast<std::size_t>(threads)) {}

std::unique_ptr<NodeSplitter> NodeSplitter::another() const {
  return std::make_unique<NodeSplitter>(data_, search_->another(1), 1);
}

OpenNode NodeSplitter::root() const {
  OpenNode node;
  node.count = static_cast<Index>(data_.rows.size());
  node.columns = data_.columns->root();
  node.summary = search_->summarize(rows(node));
  node.seed = data_.options.seed;
  drop_known_constants(node);
  return node;
}

bool NodeSplitter::is_final(const OpenNode& node) const {
  const GrowOptions& options = data_.options;
  return node.depth >= options.max_depth || node.count < options.min_samples_split ||
         node.count < 2 * options.min_samples_leaf || node.summary.weight < 2.0 * options.min_weight_leaf ||
         node.summary.impurity <= data_.pure_below;
}

void NodeSplitter::write_value(const OpenNode& node, double* value) const {
  search_->write_value(node.summary, value);
  if (data_.options.monotone.empty()) return;
  value[0] = std::min(std::max(value[0], node.lower), node.upper);
  if (data_.target.max_classes == 2) value[1] = 1.0 - value[0];
}

void NodeSplitter::drop_known_constants(OpenNode& node) const {
  std::erase_if(node.columns,
                [&](const ColumnPart& part) { return data_.columns->known_constant(part, node.count); });
}

SplitRules NodeSplitter::rules_for(const OpenNode& node, const ColumnPart& part) const {
  SplitRules rules;
  rules.min_left = data_.options.min_samples_leaf;
  rules.max_left = node.count - data_.options.min_samples_leaf;
  rules.min_weight = data_.options.min_weight_leaf;
  rules.tie = tie(node);
  if (!data_.options.monotone.empty()) {
    rules.monotone = data_.options.monotone[part.feature];
    rules.lower = node.lower;
    rules.upper = node.upper;
  }
  return rules;
}

NodeSplitter::Found NodeSplitter::search_column(const OpenNode& node, std::size_t column, int worker,
                                                StopToken& stop) {
  const ColumnPart& part = node.columns[column];
  if (categorical(part)) return search_categories(node, column, worker, stop);
  if (data_.options.random_thresholds) return search_random(node, column, worker, stop);
  if (const std::uint8_t* bins = data_.columns->bins(part); bins != nullptr) {
    if (slow(node) && stop.poll()) return {column, true, {}, 0, nullptr};
    if (const auto best = search_->best_of_bins(bins, rows(node), rules_for(node, part), worker)) {
      return {column, best->constant, best->candidate, static_cast<std::uint32_t>(best->missing), nullptr};
    }
  }
  const ColumnView view =
      data_.columns->sorted(part, rows(node), scratch_[static_cast<std::size_t>(worker)], stop);
  if (view.constant() || (slow(node) && stop.poll())) return {column, true, {}, 0, nullptr};
  return {column, false, search_->best(view, rules_for(node, part), worker),
          static_cast<std::uint32_t>(view.missing), nullptr};
}

NodeSplitter::Found NodeSplitter::search_random(const OpenNode& node, std::size_t column, int worker,
                                                StopToken& stop) {
  const ColumnPart& part = node.columns[column];
  ColumnScratch& scratch = scratch_[static_cast<std::size_t>(worker)];
  if (const auto values = data_.columns->values(part, rows(node), scratch, stop)) {
    if (values->constant()) return {column, true, {}, 0, nullptr};
    const RandomSplit drawn(node.seed, part.feature, values->low, values->high, values->missing > 0);
    if (const auto candidate =
            search_->up_to(*values, rules_for(node, part), drawn.threshold, drawn.missing_left, worker)) {
      return {column, false, *candidate, static_cast<std::uint32_t>(values->missing), nullptr};
    }
  }
  const ColumnView view = data_.columns->unsorted(part, rows(node), scratch, stop);
  if (view.constant()) return {column, true, {}, 0, nullptr};
  const RandomSplit drawn(node.seed, part.feature, view.low, view.high, view.missing > 0);
  const Index cut = data_.columns->cut(view, drawn.threshold, scratch);
  return {column, false,
          search_->at(view, rules_for(node, part), cut, drawn.threshold, drawn.missing_left, worker),
          static_cast<std::uint32_t>(view.missing), nullptr};
}

NodeSplitter::Found NodeSplitter::search_categories(const OpenNode& node, std::size_t column, int worker,
                                                    StopToken& stop) {
  const ColumnPart& part = node.columns[column];
  ColumnScratch& scratch = scratch_[static_cast<std::size_t>(worker)];
  const ColumnView view = data_.columns->by_value(part, rows(node), scratch, stop);
  if (view.constant() || (slow(node) && stop.poll())) return {column, true, {}, 0, nullptr};
  CategorySearch categories(view, data_.target, data_.options.criterion, *search_, rules_for(node, part),
                            scratch, worker);
  Rng rng(node.seed, part.feature + 1);
  CategorySplit split = data_.options.random_thresholds ? categories.random(rng) : categories.best(stop);
  const Candidate candidate = split.candidate;
  return {column, false, candidate, static_cast<std::uint32_t>(view.missing),
          std::make_unique<CategorySplit>(std::move(split))};
}

// Small nodes are worked on right here, by one thread and without looking at the clock.
template <class Body>
void NodeSplitter::for_columns(const OpenNode& node, std::size_t columns, StopToken& stop, Body&& body) {
  const auto count = static_cast<Index>(columns);
  if (node.count * count >= entries_worth_a_thread) {
    parallel_for(count, threads_, stop, body);
  } else {
    for (Index i = 0; i < count; ++i) body(i, 0);
  }
}

// Searches the first of the columns named in `searched_`.
void NodeSplitter::search_columns(const OpenNode& node, std::size_t count, StopToken& stop) {
  found_.clear();
  found_.resize(count);
  for_columns(node, count, stop,
              [&](Index i, int worker) { found_[i] = search_column(node, searched_[i], worker, stop); });
}

// Draws `max_features` of all columns without replacement, those that are constant in the node included, and
// searches them; goes on drawing until one of them is not constant.
void NodeSplitter::search_drawn(const OpenNode& node, StopToken& stop) {
  Rng rng(node.seed);
  searched_.clear();
  ColumnDraws draws_of_all(draws_, data_.features);
  const auto draw = [&] {
    const std::uint32_t feature = draws_of_all.next(rng);
    const auto at =
        std::lower_bound(node.columns.begin(), node.columns.end(), feature,
                         [](const ColumnPart& part, std::uint32_t f) { return part.feature < f; });
    if (at != node.columns.end() && at->feature == feature) {
      searched_.push_back(static_cast<std::size_t>(at - node.columns.begin()));
    }
  };
  const std::size_t all = node.columns.size();
  for (Index draws = 0; draws < data_.options.max_features && searched_.size() < all; ++draws) draw();
  // In their order: of equally good columns the first wins.
  std::sort(searched_.begin(), searched_.end());
  search_columns(node, searched_.size(), stop);
  while (searched_.size() < all && !stop.requested() &&
         std::all_of(found_.begin(), found_.end(), [](const Found& each) { return each.constant; })) {
    const std::size_t before = searched_.size();
    draw();
    if (searched_.size() > before) found_.push_back(search_column(node, searched_.back(), 0, stop));
  }
}

// The best split of all searched columns; of equally good ones that of the first column, or of the first
// after a random one. Columns that turned out to be constant are dropped from the node.
std::optional<NodeSplitter::Found> NodeSplitter::search_all(OpenNode& node, StopToken& stop) {
  if (data_.options.max_features < data_.features) {
    search_drawn(node, stop);
  } else {
    searched_.resize(node.columns.size());
    std::iota(searched_.begin(), searched_.end(), std::size_t{0});
    search_columns(node, searched_.size(), stop);
  }
  // Nodes of a few rows have many equally good columns: members of an ensemble should not all choose the
  // same.
  std::size_t start = 0;
  if (data_.options.random_ties) {
    const auto place = static_cast<std::uint32_t>(
        Rng(node.seed, ties_stream).below(static_cast<std::uint64_t>(data_.features)));
    while (start < found_.size() && node.columns[found_[start].column].feature < place) ++start;
  }
  std::optional<Found> best;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    Found& each = found_[(start + i) % found_.size()];
    if (!each.candidate.found()) continue;
    if (!best || each.candidate.gain > best->candidate.gain + tie(node)) best = std::move(each);
  }
  searched_.clear();  // the constant ones from now on
  for (const Found& each : found_) {
    if (each.constant) searched_.push_back(each.column);
  }
  std::sort(searched_.begin(), searched_.end(), std::greater<>());
  for (const std::size_t column : searched_) {
    node.columns.erase(node.columns.begin() + static_cast<Index>(column));
    if (best && best->column > column) --best->column;
  }
  return best;
}

// Moves a border between two bins to the best border between the values of these bins; false if they are too
// close to each other for any.
bool NodeSplitter::refine(const OpenNode& node, Found& found, StopToken& stop) {
  const ColumnPart& part = node.columns[found.column];
  if (!data_.columns->binned() || found.categories || found.candidate.threshold == infinity) return true;
  const BinBorder border{static_cast<int>(found.candidate.below), static_cast<int>(found.candidate.above)};
  if (const auto middle = data_.columns->middle(part, border)) {
    found.candidate.threshold = *middle;
    return true;
  }
  const ColumnView view = data_.columns->around(part, rows(node), border, scratch_[0], stop);
  if (stop.requested()) return true;
  found.candidate = search_->best(view, rules_for(node, part), 0);
  return found.candidate.found();
}

Split NodeSplitter::described(const OpenNode& node, const Found& found) const {
  Split split;
  split.feature = node.columns[found.column].feature;
  split.threshold = found.candidate.threshold;
  // Without missing values in training, later ones follow the larger side.
  split.missing_left =
      found.missing > 0 ? found.candidate.missing_left : 2 * found.candidate.left > node.count;
  if (found.categories) {
    split.threshold = std::numeric_limits<double>::quiet_NaN();
    split.categories = split.missing_left ? found.categories->right : found.categories->left;
    std::sort(split.categories.begin(), split.categories.end());
  }
  return split;
}

Index NodeSplitter::divide_rows(const OpenNode& node, const Found& found, const Split& split) {
  SideRule rule{split.threshold, split.missing_left, nullptr};
  if (found.categories) {
    for (const bool left : {false, true}) {
      for (const std::uint32_t code : left ? found.categories->left : found.categories->right) {
        if (left_by_code_.size() <= code) left_by_code_.resize(code + std::size_t{1});
        left_by_code_[code] = left;
      }
    }
    rule.left_by_code = left_by_code_.data();
  }
  if (right_rows_.size() < static_cast<std::size_t>(node.count)) right_rows_.resize(node.count);
  return data_.columns->divide_rows(node.columns[found.column], rows(node), rule, goes_left_,
                                    right_rows_.data());
}

std::optional<Split> NodeSplitter::find(OpenNode& node, StopToken& stop) {
  search_->prepare(node.summary, rows(node), data_.columns->binned() || data_.options.random_thresholds);
  if (slow(node) && stop.poll()) return std::nullopt;
  std::optional<Found> found = search_all(node, stop);
  while (found && !stop.requested() && !refine(node, *found, stop)) {
    node.columns.erase(node.columns.begin() + static_cast<Index>(found->column));
    found = search_all(node, stop);
  }
  if (!found || stop.requested()) return std::nullopt;
  Split split = described(node, *found);
  const Index left = divide_rows(node, *found, split);
  if (slow(node) && stop.poll()) return std::nullopt;
  describe_children(node, split, left, stop);
  if (stop.requested()) return std::nullopt;
  const double fall = node.summary.weight * node.summary.impurity -
                      split.left.summary.weight * split.left.summary.impurity -
                      split.right.summary.weight * split.right.summary.impurity;
  split.improvement = fall / data_.total_weight;
  if (split.improvement + data_.rounding < data_.options.min_impurity_decrease) return std::nullopt;
  pass_bounds(node, split);
  return split;
}

void NodeSplitter::describe_children(const OpenNode& node, Split& split, Index left, StopToken& stop) const {
  split.left.first = node.first;
  split.left.count = left;
  split.right.first = node.first + left;
  split.right.count = node.count - left;
  std::uint64_t state = node.seed;
  for (OpenNode* child : {&split.left, &split.right}) {
    if (slow(node) && stop.poll()) return;
    child->depth = node.depth + 1;
    child->summary = search_->summarize(rows(*child));
    child->seed = splitmix64(state);
  }
}

// A monotone split puts a wall between the values of its sides, in the middle of the two.
void NodeSplitter::pass_bounds(const OpenNode& node, Split& split) const {
  for (OpenNode* child : {&split.left, &split.right}) {
    child->lower = node.lower;
    child->upper = node.upper;
  }
  const auto& monotone = data_.options.monotone;
  if (monotone.empty() || monotone[split.feature] == 0) return;
  std::vector<double> left(static_cast<std::size_t>(data_.target.value_size())), right(left);
  search_->write_value(split.left.summary, left.data());
  search_->write_value(split.right.summary, right.data());
  const double middle = left[0] / 2.0 + right[0] / 2.0;
  (monotone[split.feature] > 0 ? split.left : split.right).upper = middle;
  (monotone[split.feature] > 0 ? split.right : split.left).lower = middle;
}

void NodeSplitter::divide_columns(OpenNode& node, Split& split, StopToken& stop) {
  const bool keep_left = !is_final(split.left), keep_right = !is_final(split.right);
  if (!keep_left && !keep_right) return;
  if (!data_.columns->divides()) {
    if (keep_left) split.left.columns = node.columns;
    if (keep_right) split.right.columns = std::move(node.columns);
    node.columns = {};
    return;
  }
  for (const Row row : rows(split.left)) goes_left_.set(row, true);
  for (const Row row : rows(split.right)) goes_left_.set(row, false);
  if (keep_left) split.left.columns.resize(node.columns.size());
  if (keep_right) split.right.columns.resize(node.columns.size());
  for_columns(node, node.columns.size(), stop, [&](Index i, int worker) {
    data_.columns->divide(node.columns[i], goes_left_, keep_left ? &split.left.columns[i] : nullptr,
                          keep_right ? &split.right.columns[i] : nullptr,
                          scratch_[static_cast<std::size_t>(worker)]);
  });
  if (keep_left) drop_known_constants(split.left);
  if (keep_right) drop_known_constants(split.right);
  node.columns = {};
}

}  // namespace certus::trees
