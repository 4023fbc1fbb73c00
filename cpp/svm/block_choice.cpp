#include "svm/block_choice.hpp"

#include <algorithm>
#include <numeric>

namespace certus::svm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

double Extremes::violation() const { return std::max({0.0, rise[0] - fall[0], rise[1] - fall[1]}); }

BlockChoice::BlockChoice(const Problem& problem, Index block)
    : problem_(problem), block_(block), last_used_(at(problem.rows), 0) {}

double BlockChoice::v(std::size_t t, std::span<const double> scores) const {
  return -static_cast<double>(problem_.sign[t]) * problem_.linear[t] - scores[t % at(problem_.rows)];
}

Extremes BlockChoice::extremes(std::span<const double> alpha, std::span<const double> scores) const {
  Extremes found{{-infinity, -infinity}, {infinity, infinity}};
  if (problem_.bias == Bias::none) found = {{0.0, -infinity}, {0.0, infinity}};  // every v is compared with 0
  for (std::size_t t = 0; t < problem_.sign.size(); ++t) {
    const double value = v(t, scores);
    const int g = group(t);
    if (may_rise(problem_.sign[t], alpha[t], problem_.upper[t]))
      found.rise[g] = std::max(found.rise[g], value);
    if (may_fall(problem_.sign[t], alpha[t], problem_.upper[t]))
      found.fall[g] = std::min(found.fall[g], value);
  }
  if (problem_.bias == Bias::none) {  // the larger of the two violations, told as one difference
    found.rise[0] = std::max(found.rise[0], -found.fall[0]);
    found.fall[0] = 0.0;
  }
  return found;
}

void BlockChoice::choose(std::span<const double> alpha, std::span<const double> scores,
                         const Extremes& extremes, std::vector<Index>& rows) {
  ++round_;
  rows.clear();
  if (block_ >= problem_.rows) {
    rows.resize(at(problem_.rows));
    std::iota(rows.begin(), rows.end(), Index{0});
    return;
  }
  rising_.clear();
  falling_.clear();
  const bool none = problem_.bias == Bias::none;
  for (std::size_t t = 0; t < problem_.sign.size(); ++t) {
    const double value = v(t, scores);
    const int g = group(t);
    const Index row = static_cast<Index>(t % at(problem_.rows));
    const double above = none ? value : value - extremes.fall[g],
                 below = none ? -value : extremes.rise[g] - value;
    if (above > 0.0 && may_rise(problem_.sign[t], alpha[t], problem_.upper[t]))
      rising_.push_back({above, row});
    if (below > 0.0 && may_fall(problem_.sign[t], alpha[t], problem_.upper[t]))
      falling_.push_back({below, row});
  }
  const Index share = round_ == 1 ? block_ / 2 : block_ / 4;  // at first nothing is free yet
  take_violators(rising_, share, rows);
  take_violators(falling_, share, rows);
  take_free(alpha, rows);
  std::sort(rows.begin(), rows.end());
}

void BlockChoice::take_violators(std::vector<Candidate>& candidates, Index most, std::vector<Index>& rows) {
  const Index kept = std::min<Index>(most, static_cast<Index>(candidates.size()));
  std::partial_sort(candidates.begin(), candidates.begin() + kept, candidates.end());
  for (Index k = 0; k < kept; ++k) {
    const Index row = candidates[at(k)].row;
    if (last_used_[at(row)] == round_) continue;
    last_used_[at(row)] = round_;
    rows.push_back(row);
  }
}

void BlockChoice::take_free(std::span<const double> alpha, std::vector<Index>& rows) {
  free_.clear();
  for (std::size_t t = 0; t < problem_.sign.size(); ++t) {
    const std::size_t row = t % at(problem_.rows);
    if (alpha[t] > 0.0 && alpha[t] < problem_.upper[t] && last_used_[row] != round_) {
      free_.push_back({static_cast<double>(last_used_[row]), static_cast<Index>(row)});
    }
  }
  const Index space = std::max<Index>(0, block_ - static_cast<Index>(rows.size()));
  take_violators(free_, space, rows);
}

}  // namespace certus::svm
