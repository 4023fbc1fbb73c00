#include "trees/splitter.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace certus::trees {
namespace {

// Fewer entries than this are searched by one thread: waking another costs more.
constexpr Index entries_worth_a_thread = 1 << 15;

bool bit(const std::vector<std::uint64_t>& bits, Row row) { return (bits[row >> 6] >> (row & 63)) & 1; }

void set_bit(std::vector<std::uint64_t>& bits, Row row, bool on) {
  const std::uint64_t mask = std::uint64_t{1} << (row & 63);
  bits[row >> 6] = (bits[row >> 6] & ~mask) | (on ? mask : 0);
}

// Divides entries stably: those that go left stay in front, the others follow. Returns how many went left.
// What is not kept may be overwritten; with only the right side kept, it is moved to the front.
std::uint32_t divide(Entry* entries, std::uint32_t count, const std::vector<std::uint64_t>& goes_left,
                     bool keep_left, bool keep_right, std::vector<Entry>& scratch) {
  if (!(keep_left && keep_right)) {
    const std::uint64_t kept = keep_left ? 1 : 0;
    std::uint32_t place = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Entry entry = entries[i];
      entries[place] = entry;
      place += static_cast<std::uint32_t>(bit(goes_left, entry.row) == kept);
    }
    return keep_left ? place : count - place;
  }
  if (scratch.size() < count) scratch.resize(count);
  std::uint32_t left = 0, right = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Entry entry = entries[i];
    const auto goes = static_cast<std::uint32_t>(bit(goes_left, entry.row));
    entries[left] = entry;
    scratch[right] = entry;
    left += goes;
    right += 1 - goes;
  }
  std::copy_n(scratch.data(), right, entries + left);
  return left;
}

}  // namespace

NodeSplitter::NodeSplitter(TreeData& data, std::unique_ptr<SplitSearch> search, int threads)
    : data_(data),
      search_(std::move(search)),
      threads_(threads),
      goes_left_(static_cast<std::size_t>(data.target.rows) / 64 + 1),
      right_(static_cast<std::size_t>(threads)) {}

std::unique_ptr<NodeSplitter> NodeSplitter::another() const {
  return std::make_unique<NodeSplitter>(data_, search_->another(1), 1);
}

OpenNode NodeSplitter::root() const {
  OpenNode node;
  node.count = static_cast<Index>(data_.rows.size());
  node.columns = data_.columns.parts();
  node.summary = search_->summarize(rows(node));
  node.seed = data_.options.seed;
  drop_constant_columns(node);
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

ColumnView NodeSplitter::view(const ColumnPart& part, const OpenNode& node) const {
  ColumnView view;
  view.entries = data_.columns.entries(part);
  view.missing = part.missing;
  view.listed = static_cast<Index>(part.count) - view.missing;
  view.zeros = node.count - static_cast<Index>(part.count);
  view.rows = rows(node);
  if (view.zeros > 0) {
    view.zero_at = std::lower_bound(view.entries, view.entries + view.listed, 0.0f,
                                    [](const Entry& entry, float zero) { return entry.value < zero; }) -
                   view.entries;
  }
  return view;
}

void NodeSplitter::drop_constant_columns(OpenNode& node) const {
  std::erase_if(node.columns, [&](const ColumnPart& part) { return view(part, node).constant(); });
}

// Draws `max_features` of all columns without replacement and returns those that are not constant in the
// node; goes on drawing until there is one of these.
std::vector<std::size_t> NodeSplitter::draw_columns(const OpenNode& node) const {
  std::vector<std::size_t> columns(node.columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  if (data_.options.max_features >= data_.features) return columns;
  Rng rng(node.seed);
  std::size_t drawn = 0;
  std::uint64_t constant = static_cast<std::uint64_t>(data_.features) - columns.size();
  for (Index draws = 0; drawn < columns.size() && (draws < data_.options.max_features || drawn == 0);
       ++draws) {
    const std::uint64_t draw = rng.below(columns.size() - drawn + constant);
    if (draw < constant) {
      --constant;
    } else {
      std::swap(columns[drawn], columns[drawn + static_cast<std::size_t>(draw - constant)]);
      ++drawn;
    }
  }
  columns.resize(drawn);
  std::sort(columns.begin(), columns.end());  // so that ties fall to the first column
  return columns;
}

SplitRules NodeSplitter::rules_for(const OpenNode& node, const ColumnPart& part) const {
  SplitRules rules;
  rules.min_left = data_.options.min_samples_leaf;
  rules.max_left = node.count - data_.options.min_samples_leaf;
  rules.min_weight = data_.options.min_weight_leaf;
  rules.tie = gain_tolerance * node.summary.weight * node.summary.impurity;
  if (!data_.options.monotone.empty()) {
    rules.monotone = data_.options.monotone[part.feature];
    rules.lower = node.lower;
    rules.upper = node.upper;
  }
  return rules;
}

Candidate NodeSplitter::search_column(const OpenNode& node, const ColumnPart& part, int worker) {
  const ColumnView column = view(part, node);
  const SplitRules rules = rules_for(node, part);
  if (!data_.options.random_thresholds) return search_->best(column, rules, worker);
  return search_random(column, rules, Rng(node.seed, part.feature + 1), worker);
}

// One threshold, uniform between the smallest and the largest value; the missing values go to a random side.
Candidate NodeSplitter::search_random(const ColumnView& column, SplitRules rules, Rng rng, int worker) {
  const double low = column.low(), high = column.high();
  double threshold = low + rng.uniform() * (high - low);
  if (threshold >= high) threshold = low;
  const bool missing_left = column.missing > 0 && rng.below(2) == 1;
  const Entry* end = column.entries + column.listed;
  const Entry* cut = std::upper_bound(column.entries, end, threshold, [](double limit, const Entry& entry) {
    return limit < static_cast<double>(entry.value);
  });
  Index left = (cut - column.entries) + (threshold >= 0.0 ? column.zeros : 0);
  if (missing_left) left += column.missing;
  rules.min_left = std::max(rules.min_left, left);
  rules.max_left = std::min(rules.max_left, left);
  Candidate candidate;
  if (rules.min_left == rules.max_left)
    candidate = search_->best_one_sided(column, rules, missing_left, worker);
  candidate.threshold = threshold;
  return candidate;
}

int NodeSplitter::threads_for(const OpenNode& node, std::size_t columns) const {
  return node.count * static_cast<Index>(columns) < entries_worth_a_thread ? 1 : threads_;
}

NodeSplitter::Chosen NodeSplitter::search_all(const OpenNode& node, StopToken& stop) {
  const std::vector<std::size_t> columns = draw_columns(node);
  std::vector<Candidate> candidates(columns.size());
  parallel_for(
      static_cast<Index>(columns.size()), threads_for(node, columns.size()), stop,
      [&](Index i, int worker) { candidates[i] = search_column(node, node.columns[columns[i]], worker); });
  Chosen chosen;
  const double tie = gain_tolerance * node.summary.weight * node.summary.impurity;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (candidates[i].found() &&
        (!chosen.candidate.found() || candidates[i].gain > chosen.candidate.gain + tie)) {
      chosen = {candidates[i], columns[i]};
    }
  }
  return chosen;
}

std::optional<Split> NodeSplitter::find(OpenNode& node, StopToken& stop) {
  search_->prepare(node.summary, rows(node));
  const Chosen chosen = search_all(node, stop);
  if (!chosen.candidate.found() || stop.requested()) return std::nullopt;
  const ColumnPart& part = node.columns[chosen.column];
  Split split;
  split.feature = part.feature;
  split.threshold = chosen.candidate.threshold;
  // Without missing values in training, later ones follow the larger side.
  split.missing_left =
      part.missing > 0 ? chosen.candidate.missing_left : 2 * chosen.candidate.left > node.count;
  mark_sides(node, part, split);
  divide_rows(node, split);
  const double fall = node.summary.weight * node.summary.impurity -
                      split.left.summary.weight * split.left.summary.impurity -
                      split.right.summary.weight * split.right.summary.impurity;
  split.improvement = fall / data_.total_weight;
  if (split.improvement + data_.rounding < data_.options.min_impurity_decrease) return std::nullopt;
  pass_bounds(node, split);
  return split;
}

void NodeSplitter::mark_sides(const OpenNode& node, const ColumnPart& part, const Split& split) {
  if (node.count > static_cast<Index>(part.count)) {
    for (const Row row : rows(node)) set_bit(goes_left_, row, 0.0 <= split.threshold);
  }
  const Entry* entries = data_.columns.entries(part);
  const std::uint32_t listed = part.count - part.missing;
  for (std::uint32_t i = 0; i < listed; ++i)
    set_bit(goes_left_, entries[i].row, entries[i].value <= split.threshold);
  for (std::uint32_t i = listed; i < part.count; ++i) set_bit(goes_left_, entries[i].row, split.missing_left);
}

void NodeSplitter::divide_rows(OpenNode& node, Split& split) {
  const std::span<Row> all = rows(node);
  if (right_rows_.size() < all.size()) right_rows_.resize(all.size());
  Index left = 0, right = 0;
  for (const Row row : all) {
    const Index goes = bit(goes_left_, row);
    all[left] = row;
    right_rows_[right] = row;
    left += goes;
    right += 1 - goes;
  }
  std::copy_n(right_rows_.data(), right, all.data() + left);
  split.left.first = node.first;
  split.left.count = left;
  split.right.first = node.first + left;
  split.right.count = right;
  std::uint64_t state = node.seed;
  for (OpenNode* child : {&split.left, &split.right}) {
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
  for (const Row row : rows(split.left)) set_bit(goes_left_, row, true);
  for (const Row row : rows(split.right)) set_bit(goes_left_, row, false);
  if (keep_left) split.left.columns = node.columns;
  if (keep_right) split.right.columns = node.columns;
  const auto body = [&](Index i, int worker) {
    const ColumnPart& part = node.columns[i];
    Entry* entries = data_.columns.entries(part);
    const std::uint32_t left = divide(entries, part.count, goes_left_, keep_left, keep_right,
                                      right_[static_cast<std::size_t>(worker)]);
    const auto give = [&](OpenNode& child, Index offset, std::uint32_t count) {
      const std::uint32_t missing = part.missing > 0 ? count_missing(entries + offset, count) : 0;
      child.columns[i] = {part.begin + offset, count, missing, part.feature};
    };
    if (keep_left) give(split.left, 0, left);
    if (keep_right) give(split.right, keep_left ? left : 0, part.count - left);
  };
  parallel_for(static_cast<Index>(node.columns.size()), threads_for(node, node.columns.size()), stop, body);
  if (keep_left) drop_constant_columns(split.left);
  if (keep_right) drop_constant_columns(split.right);
  node.columns.clear();
  node.columns.shrink_to_fit();
}

}  // namespace certus::trees
