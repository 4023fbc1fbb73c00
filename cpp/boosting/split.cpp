#include "boosting/split.hpp"

#include <algorithm>

namespace certus::boosting {
namespace {

// Keeps the division 0 / 0 of a node without hessian from being NaN.
constexpr double tiny = 1e-15;
// Categories with less support (in rows) are not put on a side by their own gradient; the same number
// smooths the order of the others.
constexpr double category_support = 10.0;
constexpr int largest_set = 32;

class Search {
 public:
  Search(const Sums& node, const Bounds& bounds, int sign, const SplitRules& rules)
      : node_(node), bounds_(bounds), sign_(sign), rules_(rules), bounded_(sign != 0 || narrow(bounds)) {
    parent_ = score(node, node_value(node, rules.l2, bounds));
  }

  bool enough(const Sums& side) const {
    return side.rows >= rules_.min_rows && side.hessian >= rules_.min_hessian;
  }

  double gain(const Sums& left) const {
    const Sums right = node_ - left;
    if (!bounded_) {
      return left.gradient * left.gradient / (left.hessian + rules_.l2 + tiny) +
             right.gradient * right.gradient / (right.hessian + rules_.l2 + tiny) - parent_;
    }
    const double left_value = node_value(left, rules_.l2, bounds_);
    const double right_value = node_value(right, rules_.l2, bounds_);
    if ((sign_ > 0 && left_value > right_value) || (sign_ < 0 && left_value < right_value)) return -1.0;
    return score(left, left_value) + score(right, right_value) - parent_;
  }

  // Notes the division into `left` and the rest if it is allowed and better than the best so far.
  bool offer(const Sums& left) {
    const double found = gain(left);
    if (!(found > best_.gain)) return false;
    best_.gain = found;
    best_.left = left;
    return true;
  }

  Split& best() { return best_; }
  const Sums& node() const { return node_; }

 private:
  static bool narrow(const Bounds& bounds) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return bounds.low > -infinity || bounds.high < infinity;
  }
  static double score(const Sums& sums, double value) { return -sums.gradient * value; }

  Sums node_;
  Bounds bounds_;
  int sign_;
  SplitRules rules_;
  bool bounded_;
  double parent_;
  Split best_;
};

// Numbers, from the smallest bin up; missing values stay right. With missing values the last step divides
// them from all others.
void scan_up(Search& search, const Sums* histogram, Index bins, bool has_missing) {
  Sums left;
  const Index steps = has_missing ? bins : bins - 1;
  for (Index bin = 0; bin < steps; ++bin) {
    left += histogram[bin];
    if (!search.enough(left)) continue;
    if (!search.enough(search.node() - left)) break;
    if (search.offer(left)) {
      search.best().bin = static_cast<Bin>(bin);
      search.best().missing_left = false;
    }
  }
}

// From the largest bin down; missing values stay left.
void scan_down(Search& search, const Sums* histogram, Index bins) {
  Sums right;
  for (Index bin = bins - 1; bin > 0; --bin) {
    right += histogram[bin];
    if (!search.enough(right)) continue;
    const Sums left = search.node() - right;
    if (!search.enough(left)) break;
    if (search.offer(left)) {
      search.best().bin = static_cast<Bin>(bin - 1);
      search.best().missing_left = true;
    }
  }
}

// Categories in the order of gradient / hessian: the best division into two sets is a cut of this order
// (Fisher 1958). From either end, up to the middle; rare categories stay on the other side. Larger sets than
// `largest_set` are not tried: among very many categories they fit the noise.
void scan_categories(Search& search, const Sums* histogram, Index bins, bool has_missing) {
  const double rows_per_hessian = search.node().rows / search.node().hessian;
  std::array<std::pair<double, int>, bins_per_column> order;
  int used = 0;
  const auto consider = [&](int bin) {
    const Sums& sums = histogram[bin];
    if (sums.hessian * rows_per_hessian < category_support) return;
    order[used++] = {sums.gradient / (sums.hessian + category_support), bin};
  };
  for (int bin = 0; bin < static_cast<int>(bins); ++bin) consider(bin);
  if (has_missing) consider(missing_bin);
  if (used < 2) return;
  std::sort(order.begin(), order.begin() + used);
  for (const bool upwards : {true, false}) {
    Sums left;
    BinSet set{};
    for (int i = 0; i < std::min((used + 1) / 2, largest_set); ++i) {
      const int bin = order[upwards ? i : used - 1 - i].second;
      left += histogram[bin];
      insert(set, bin);
      if (!search.enough(left)) continue;
      if (!search.enough(search.node() - left)) break;
      if (search.offer(left)) {
        search.best().left_bins = set;
        search.best().missing_left = contains(set, missing_bin);
      }
    }
  }
}

}  // namespace

double node_value(const Sums& sums, double l2, const Bounds& bounds) {
  return std::clamp(-sums.gradient / (sums.hessian + l2 + tiny), bounds.low, bounds.high);
}

Split best_split(const BinnedTable& table, Index column, const Sums* histogram, const Sums& node,
                 const Bounds& bounds, int sign, const SplitRules& rules) {
  Search search(node, bounds, sign, rules);
  const bool has_missing = table.has_missing[column] != 0;
  const Index bins = table.bins[column];
  if (table.categorical[column]) {
    scan_categories(search, histogram, bins, has_missing);
  } else {
    scan_up(search, histogram, bins, has_missing);
    if (has_missing) scan_down(search, histogram, bins);
  }
  Split& best = search.best();
  if (best.gain > 0.0) {
    best.column = column;
    best.categorical = table.categorical[column] != 0;
    // what was never missing in training follows the larger side
    if (!has_missing) best.missing_left = 2.0 * best.left.rows > node.rows;
  }
  return best;
}

}  // namespace certus::boosting
