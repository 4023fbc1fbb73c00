#include "trees/category_search.hpp"

#include <algorithm>

namespace certus::trees {

CategorySearch::CategorySearch(const ColumnView& view, const Target& target, CriterionKind criterion,
                               SplitSearch& search, const SplitRules& rules, ColumnScratch& scratch,
                               int worker)
    : view_(view),
      target_(target),
      criterion_(criterion),
      search_(search),
      rules_(rules),
      entries_(scratch.categories),
      worker_(worker),
      groups_(groups_of(view)) {
  const auto count = static_cast<std::size_t>(view.listed + view.missing);
  if (entries_.size() < count) entries_.resize(count);
  std::copy_n(view.entries + view.listed, view.missing, entries_.data() + view.listed);
}

CategorySplit CategorySearch::best(StopToken& stop) {
  const bool enumerate = !order_is_exact(target_, criterion_) && groups_.size() <= most_enumerated;
  return enumerate ? best_of_all(stop) : best_cut();
}

// The column with the places of the categories in their order instead of their codes is one of numbers.
CategorySplit CategorySearch::best_cut() {
  put_in_order(view_, target_, criterion_, groups_);
  Entry* place = entries_.data();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Entry* entries = view_.entries + groups_[g].begin;
    for (Index i = 0; i < groups_[g].count; ++i) *place++ = {static_cast<float>(g), entries[i].row};
  }
  ColumnView ordered = view_;
  ordered.entries = entries_.data();
  ordered.low = 0.0f;
  ordered.high = static_cast<float>(groups_.size() - 1);
  const Candidate candidate = search_.best(ordered, rules_, worker_);
  std::vector<bool> left(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) left[g] = static_cast<double>(g) <= candidate.threshold;
  return sides(candidate, left);
}

// Every division once: the last category is always right, and the missing values are tried on both sides.
CategorySplit CategorySearch::best_of_all(StopToken& stop) {
  const std::size_t count = groups_.size();
  const unsigned everything = (1u << count) - 1u;
  Candidate best;
  std::vector<bool> best_left(count), left(count);
  const auto consider = [&](unsigned set) {
    if (view_.listed > rows_per_poll && stop.poll()) return;
    for (std::size_t g = 0; g < count; ++g) left[g] = (set >> g & 1u) != 0;
    const Index cut = arrange(left);
    ColumnView arranged = view_;
    arranged.entries = entries_.data();
    for (const bool missing_left : {false, true}) {
      if (missing_left && (view_.missing == 0 || set == everything)) continue;
      const Candidate found = search_.at(arranged, rules_, cut, 0.0, missing_left, worker_);
      if (!found.found() || found.gain <= best.gain + rules_.tie) continue;
      best = found;
      best_left = left;
    }
  };
  for (unsigned set = 1; set < 1u << (count - 1); ++set) consider(set);
  if (view_.missing > 0) consider(everything);
  return sides(best, best_left);
}

CategorySplit CategorySearch::random(Rng& rng) {
  std::vector<bool> left(groups_.size(), true);
  while (groups_.size() > 1) {  // until both sides have a category
    for (std::size_t g = 0; g < groups_.size(); ++g) left[g] = rng.below(2) == 1;
    if (std::find(left.begin(), left.end(), !left[0]) != left.end()) break;
  }
  // a single category can only be divided from the missing values
  const bool missing_left = groups_.size() > 1 && view_.missing > 0 && rng.below(2) == 1;
  const Index cut = arrange(left);
  ColumnView arranged = view_;
  arranged.entries = entries_.data();
  return sides(search_.at(arranged, rules_, cut, 0.0, missing_left, worker_), left);
}

Index CategorySearch::arrange(const std::vector<bool>& left) {
  Entry* place = entries_.data();
  Index cut = 0;
  for (const bool side : {true, false}) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (left[g] != side) continue;
      place = std::copy_n(view_.entries + groups_[g].begin, groups_[g].count, place);
      if (side) cut += groups_[g].count;
    }
  }
  return cut;
}

CategorySplit CategorySearch::sides(const Candidate& candidate, const std::vector<bool>& left) const {
  CategorySplit split;
  split.candidate = candidate;
  if (!candidate.found()) return split;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    (left[g] ? split.left : split.right).push_back(groups_[g].code);
  }
  return split;
}

}  // namespace certus::trees
