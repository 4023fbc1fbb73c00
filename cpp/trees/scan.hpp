// The search along one sorted column: move the rows of a node from the right side to the left, value by
// value, and ask the criterion at every border between two different values how much the impurity would fall.
//
// `Sums` is the criterion's running state (sums_*.hpp):
//   open(view, missing_left)  everything on the right (missing values on the left if asked)
//   add(row), add_zeros()     move one row, or all rows that a sparse column does not list, to the left
//   gain(left)                weight x decrease of the impurity, with `left` rows on the left; -inf if not
//   allowed left_weight(left), left_value(left), right_value(left)
// For columns of bins it may also have `bins()`, the sums per bin, and
//   collect(bins, rows)       fill them
//   open_bins(missing_left)   everything on the right
//   add_bin(bin)              move all rows of a bin to the left; how many
// and for single thresholds
//   add_up_to(threshold, values, missing_left)  move the rows with such values to the left; how many
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "trees/bin_sums.hpp"
#include "trees/columns.hpp"

namespace certus::trees {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Gains this close, relative to the largest possible gain, are the rounding of equal numbers: the first
// counts.
inline constexpr double gain_tolerance = 1e-12;

// What a split must satisfy.
struct SplitRules {
  Index min_left = 1;  // rows on the left, both ends included
  Index max_left = 0;
  double min_weight = 0.0;  // weight on either side
  int monotone = 0;         // sign of the demanded change of the value from left to right
  double lower = -infinity;
  double upper = infinity;
  double tie = 0.0;  // a gain must be larger by this to count as better

  bool plain() const { return min_weight <= 0.0 && monotone == 0; }
};

// The best border found in a column.
struct Candidate {
  double gain = -infinity;
  double threshold = 0.0;
  Index left = 0;  // rows
  bool missing_left = false;
  float below = 0.0f;  // the values (or bins) next to a border between two of them
  float above = 0.0f;

  bool found() const { return gain > -infinity; }
};

template <class Sums, bool Plain>
class ColumnScan {
 public:
  ColumnScan(Sums& sums, const ColumnView& view, const SplitRules& rules)
      : sums_(sums), view_(view), rules_(rules), weight_(sums.total_weight()) {}

  // Tries one split: the first `cut` listed values, and the zeros and the missing values if asked, go left.
  void run_at(Index cut, bool zeros_left, bool missing_left, double threshold) {
    missing_left_ = missing_left;
    sums_.open(view_, missing_left);
    for (Index i = 0; i < cut; ++i) sums_.add(view_.entries[i].row);
    if (zeros_left && view_.zeros > 0) sums_.add_zeros();
    left_ = cut + (zeros_left ? view_.zeros : 0) + (missing_left ? view_.missing : 0);
    consider(threshold);
  }

  // Tries one split of rows whose values are not in any order.
  void run_up_to(double threshold, const RowValues& values, bool missing_left) {
    missing_left_ = missing_left;
    sums_.open(view_, false);
    left_ = sums_.add_up_to(largest_float_up_to(threshold), values, missing_left);
    consider(threshold);
  }

  // Tries every border, with the missing values on the given side.
  void run(bool missing_left) {
    missing_left_ = missing_left;
    sums_.open(view_, missing_left);
    left_ = missing_left ? view_.missing : 0;
    const bool ends_with_border = view_.missing > 0 && !missing_left;
    const Index zero_at = view_.zeros > 0 ? view_.zero_at : view_.listed;
    if (zero_at > 0) walk(0, zero_at);
    if (view_.zeros > 0) {
      if (zero_at > 0) border(view_.entries[zero_at - 1].value, 0.0f);
      sums_.add_zeros();
      left_ += view_.zeros;
      if (zero_at < view_.listed) {
        border(0.0f, view_.entries[zero_at].value);
        walk(zero_at, view_.listed);
      }
    }
    if (ends_with_border && view_.listed + view_.zeros > 0) consider(infinity);
  }

  // Tries every border between bins that hold rows.
  void run_bins(bool missing_left) {
    const auto& bins = sums_.bins();
    missing_left_ = missing_left;
    sums_.open_bins(missing_left);
    left_ = missing_left ? bins.missing() : 0;
    int before = -1;
    bins.for_each([&](int bin) {
      if (bin == missing_bin) {
        if (!missing_left && before >= 0) consider(infinity);
        return;
      }
      if (before >= 0) consider_between(static_cast<float>(before), static_cast<float>(bin));
      left_ += sums_.add_bin(bin);
      before = bin;
    });
  }

  const Candidate& best() const { return best_; }

 private:
  // Moves the entries [first, last) to the left and tries the borders between them, not the one after the
  // last.
  void walk(Index first, Index last) {
    const Entry* entries = view_.entries;
    for (Index i = first; i + 1 < last; ++i) {
      sums_.add(entries[i].row);
      ++left_;
      if (tied(entries[i].value, entries[i + 1].value)) continue;
      if (left_ > rules_.max_left) return;
      consider_between(entries[i].value, entries[i + 1].value);
    }
    sums_.add(entries[last - 1].row);
    ++left_;
  }

  void border(float low, float high) {
    if (!tied(low, high)) consider_between(low, high);
  }

  void consider_between(float low, float high) {
    if (better()) accept(static_cast<double>(low) / 2.0 + static_cast<double>(high) / 2.0, low, high);
  }

  void consider(double threshold) {
    if (better()) accept(threshold);
  }

  bool better() {
    if (left_ < rules_.min_left || left_ > rules_.max_left) return false;
    if constexpr (!Plain) {
      if (!allowed()) return false;
    }
    gain_ = sums_.gain(left_);
    return gain_ > bar_;
  }

  bool allowed() const {
    const double left_weight = sums_.left_weight(left_);
    if (left_weight < rules_.min_weight || weight_ - left_weight < rules_.min_weight) return false;
    if (rules_.monotone == 0) return true;
    const double left = sums_.left_value(left_), right = sums_.right_value(left_);
    // Equal up to rounding is allowed: the values of the nodes are held to their bounds afterwards.
    const double rounding = gain_tolerance * (std::abs(left) + std::abs(right));
    return std::min(left, right) >= rules_.lower - rounding &&
           std::max(left, right) <= rules_.upper + rounding && (left - right) * rules_.monotone <= rounding;
  }

  void accept(double threshold, float below = 0.0f, float above = 0.0f) {
    best_ = {gain_, threshold, left_, missing_left_, below, above};
    bar_ = gain_ + rules_.tie;
  }

  Sums& sums_;
  const ColumnView view_;
  const SplitRules rules_;
  const double weight_;
  Candidate best_;
  double bar_ = -infinity;
  double gain_ = 0.0;
  Index left_ = 0;
  bool missing_left_ = false;
};

}  // namespace certus::trees
