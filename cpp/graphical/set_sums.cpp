#include "graphical/set_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"

namespace certus::graphical {
namespace {

constexpr double kStirlingFrom = 16.0;
constexpr Index kTallied = 2048;  // groups up to which four tables stay in the nearest cache

// ln Gamma(x) - [(x - 1/2) ln x - x + ln(2 pi)/2] for x >= 16, to the last bit (Abramowitz, Stegun 6.1.41).
double stirling_rest(double x) {
  const double inverse = 1.0 / x;
  const double square = inverse * inverse;
  return inverse *
         (1.0 / 12.0 -
          square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
}

// ln Gamma(prior + count) - ln Gamma(prior), count > 0.
double log_rising(double prior, double count) {
  double logarithm = 0.0;
  double product = 1.0;
  while (count >= 1.0 && prior < kStirlingFrom) {  // at most 16 factors below 16: no overflow
    product *= prior;
    prior += 1.0;
    count -= 1.0;
  }
  logarithm = std::log(product);
  if (count <= 0.0) return logarithm;
  if (prior < kStirlingFrom) {  // less than one row is left
    double below = 1.0;
    double above = 1.0;
    for (double shifted = prior; shifted < kStirlingFrom; shifted += 1.0) {
      below *= shifted;
      above *= shifted + count;
    }
    const double steps = std::ceil(kStirlingFrom - prior);
    return logarithm + std::log(below / above) + log_rising(prior + steps, count);
  }
  const double end = prior + count;
  return logarithm + (prior - 0.5) * std::log1p(count / prior) + count * (std::log(end) - 1.0) +
         (stirling_rest(end) - stirling_rest(prior));
}

}  // namespace

double CodedRows::cells(std::span<const Column> set) const {
  double found = 1.0;
  for (const Column column : set) found *= arities[static_cast<std::size_t>(column)];
  return found;
}

double ScoreRule::joint_prior(double cells) const {
  if (score == Score::likelihood) return 0.0;
  return score == Score::k2 ? 1.0 : sample_size / cells;
}

double ScoreRule::parent_prior(double cells, std::int32_t child_arity) const {
  if (score == Score::likelihood) return 0.0;
  return score == Score::k2 ? static_cast<double>(child_arity) : sample_size / cells;
}

Index group_limit(const CodedRows& rows) {
  const auto largest = rows.arities.empty() ? 1 : *std::max_element(rows.arities.begin(), rows.arities.end());
  return std::max<Index>(1 << 12, rows.rows * largest);
}

Grouping::Grouping(const CodedRows& rows, Index most_groups)
    : rows_(&rows), most_(most_groups), group_(static_cast<std::size_t>(rows.rows)) {}

void Grouping::start() {
  std::fill(group_.begin(), group_.end(), 0);
  groups_ = 1;
}

void Grouping::copy_from(const Grouping& other) {
  group_ = other.group_;
  groups_ = other.groups_;
}

void Grouping::refine(Column column) {
  const std::int32_t arity = rows_->arities[static_cast<std::size_t>(column)];
  if (groups_ * arity > most_) compact();
  const std::int32_t* const codes = rows_->column(column);
  for (std::size_t i = 0; i < group_.size(); ++i) group_[i] = group_[i] * arity + codes[i];
  groups_ *= arity;
}

void Grouping::compact() {
  renamed_.assign(static_cast<std::size_t>(groups_), -1);
  std::int32_t next = 0;
  for (auto& group : group_) {
    auto& name = renamed_[static_cast<std::size_t>(group)];
    if (name < 0) name = next++;
    group = name;
  }
  groups_ = next;
}

std::span<const double> Grouping::counts() {
  counts_.assign(static_cast<std::size_t>(groups_), 0.0);
  if (!rows_->weights.empty()) {
    for (std::size_t i = 0; i < group_.size(); ++i)
      counts_[static_cast<std::size_t>(group_[i])] += rows_->weights[i];
  } else if (groups_ > kTallied) {
    for (const auto group : group_) counts_[static_cast<std::size_t>(group)] += 1.0;
  } else {
    tally();
  }
  return counts_;
}

// Rows in turn into four tables, so that rows of one cell need not wait for each other.
void Grouping::tally() {
  const auto size = static_cast<std::size_t>(groups_);
  tallies_.assign(4 * size, 0);
  std::int32_t* const tables = tallies_.data();
  const std::size_t rows = group_.size();
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4)
    for (std::size_t k = 0; k < 4; ++k) ++tables[k * size + static_cast<std::size_t>(group_[i + k])];
  for (; i < rows; ++i) ++tables[static_cast<std::size_t>(group_[i])];
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t c = 0; c < size; ++c) counts_[c] += tables[k * size + c];
}

double sum_of_counts(std::span<const double> counts, double prior) {
  double total = 0.0;
  double lost = 0.0;  // what rounding took from the total (Neumaier 1974)
  for (const double count : counts) {
    if (count <= 0.0) continue;
    const double term = prior > 0.0 ? log_rising(prior, count) : count * std::log(count);
    const double next = total + term;
    lost += std::abs(total) >= std::abs(term) ? (total - next) + term : (term - next) + total;
    total = next;
  }
  return total + lost;
}

SetSums::SetSums(CodedRows rows, ScoreRule rule) : rows_(std::move(rows)), rule_(rule) {}

std::size_t SetSums::Hash::operator()(const Key& key) const {
  std::uint64_t mixed =
      0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.role));
  for (const Column column : key.set) {
    mixed = (mixed ^ static_cast<std::uint64_t>(column + 1)) * 0x9fb21c651e98df25ULL;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::size_t>(mixed);
}

std::int32_t SetSums::parent_role(Column child) const {
  return rule_.score == Score::k2 ? rows_.arities[static_cast<std::size_t>(child)] : 0;
}

double SetSums::prior_of(const Key& key) const {
  if (key.role < 0) return 0.0;
  const double cells = rows_.cells(key.set);
  return key.role == 0 ? rule_.joint_prior(cells) : rule_.parent_prior(cells, key.role);
}

void SetSums::need(Key key, std::vector<Key>& fresh) {
  const auto [place, is_new] = known_.try_emplace(std::move(key), std::numeric_limits<double>::quiet_NaN());
  if (is_new) fresh.push_back(place->first);
}

void SetSums::count(const std::vector<Key>& fresh, int threads, StopToken& stop) {
  std::vector<double> found(fresh.size());
  const Index most = group_limit(rows_);
  parallel_ranges(static_cast<Index>(fresh.size()), 16, threads, stop, [&](Index first, Index last, int) {
    Grouping grouping(rows_, most);
    for (Index k = first; k < last && !stop.poll(); ++k) {
      const Key& key = fresh[static_cast<std::size_t>(k)];
      grouping.start();
      for (const Column column : key.set) grouping.refine(column);
      found[static_cast<std::size_t>(k)] = sum_of_counts(grouping.counts(), prior_of(key));
    }
  });
  if (stop.requested()) {  // what was not counted must not be taken for known
    for (const Key& key : fresh) known_.erase(key);
    return;
  }
  for (std::size_t k = 0; k < fresh.size(); ++k) known_[fresh[k]] = found[k];
}

void SetSums::score(std::span<const Column> children, std::span<const ColumnSet> parents,
                    std::span<double> out, int threads, StopToken& stop) {
  std::vector<Key> fresh;
  for (std::size_t k = 0; k < children.size(); ++k) {
    need({with(parents[k], children[k]), 0}, fresh);
    need({parents[k], parent_role(children[k])}, fresh);
  }
  count(fresh, threads, stop);
  if (stop.requested()) return;
  for (std::size_t k = 0; k < children.size(); ++k) {
    const double joint = known_.at({with(parents[k], children[k]), 0});
    const double free = rows_.cells(parents[k]) * (rows_.arities[static_cast<std::size_t>(children[k])] - 1);
    out[k] = joint - known_.at({parents[k], parent_role(children[k])}) - rule_.penalty * free;
  }
}

void SetSums::entropies(std::span<const ColumnSet> sets, std::span<double> out, int threads,
                        StopToken& stop) {
  std::vector<Key> fresh;
  for (const ColumnSet& set : sets) need({set, -1}, fresh);
  count(fresh, threads, stop);
  if (stop.requested()) return;
  for (std::size_t k = 0; k < sets.size(); ++k) out[k] = known_.at({sets[k], -1});
}

void SetSums::all_sums(Index most, std::int32_t prior, std::span<double> out, int threads,
                       StopToken& stop) const {
  const auto n = static_cast<Column>(rows_.columns());
  const Column split = std::min<Column>(n, 6);  // blocks: the subsets of the first columns
  const Index limit = group_limit(rows_);
  const auto prior_for = [&](double cells) {
    if (prior == 0) return 0.0;
    return prior < 0 ? rule_.joint_prior(cells) : rule_.parent_prior(cells, prior);
  };
  parallel_for(Index{1} << split, threads, stop, [&](Index block, int) {
    std::vector<Grouping> levels(1, Grouping(rows_, limit));
    levels[0].start();
    ColumnSet chosen;
    for (Column j = 0; j < split; ++j) {
      if (block >> j & 1) {
        chosen.push_back(j);
        levels[0].refine(j);
      }
    }
    if (static_cast<Index>(chosen.size()) > most) return;
    levels.resize(static_cast<std::size_t>(n - split + 1), levels[0]);
    const auto visit = [&](auto&& self, std::size_t depth, Column next, std::size_t bits,
                           double cells) -> void {
      if (stop.poll()) return;
      out[bits] = sum_of_counts(levels[depth].counts(), prior_for(cells));
      if (static_cast<Index>(chosen.size() + depth) == most) return;
      for (Column j = next; j < n; ++j) {
        levels[depth + 1].copy_from(levels[depth]);
        levels[depth + 1].refine(j);
        self(self, depth + 1, j + 1, bits | std::size_t{1} << j,
             cells * rows_.arities[static_cast<std::size_t>(j)]);
      }
    };
    visit(visit, 0, split, static_cast<std::size_t>(block), rows_.cells(chosen));
  });
}

ColumnSet with(const ColumnSet& set, Column column) {
  ColumnSet found;
  found.reserve(set.size() + 1);
  const auto place = std::lower_bound(set.begin(), set.end(), column);
  found.insert(found.end(), set.begin(), place);
  found.push_back(column);
  found.insert(found.end(), place, set.end());
  return found;
}

ColumnSet without(const ColumnSet& set, Column column) {
  ColumnSet found;
  found.reserve(set.size());
  std::copy_if(set.begin(), set.end(), std::back_inserter(found),
               [&](Column other) { return other != column; });
  return found;
}

}  // namespace certus::graphical
