#include "svm/shrinking.hpp"

#include <algorithm>
#include <numeric>

#include "svm/block_choice.hpp"

namespace certus::svm {
namespace {

constexpr double first_stage = 100.0;  // times the tolerance
constexpr double next_stage = 0.1;
constexpr double slack = 3.0;         // times the violation: rows this close to the extremes stay
constexpr double worth_while = 0.75;  // share of the rows that may stay at most

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The rows of a problem that are still worked on, with copies of what belongs to them.
class Remaining {
 public:
  Remaining(const Problem& whole, std::span<const std::int32_t> members, Solution& start)
      : whole_(start), rows_(whole.rows), bias_(whole.bias), copies_(whole.copies()) {
    places_.resize(at(rows_));
    std::iota(places_.begin(), places_.end(), Index{0});
    members_.assign(members.begin(), members.end());
    sign_.assign(whole.sign.begin(), whole.sign.end());
    linear_.assign(whole.linear.begin(), whole.linear.end());
    upper_.assign(whole.upper.begin(), whole.upper.end());
    alpha_.assign(start.alpha.begin(), start.alpha.end());
    scores_.assign(start.scores.begin(), start.scores.end());
  }

  Problem problem() const { return {rows_, bias_, sign_, linear_, upper_}; }
  std::span<const std::int32_t> members() const { return members_; }
  void connect(Solution& solution) { solution.alpha = alpha_, solution.scores = scores_; }

  // Sets rows aside; false if too few would go.
  bool shrink(double violation) {
    const Problem now = problem();
    const Extremes extremes = BlockChoice(now, 1).extremes(alpha_, scores_);
    std::vector<Index> kept;
    for (Index i = 0; i < rows_; ++i) {
      if (matters(i, extremes, slack * violation)) kept.push_back(i);
    }
    if (static_cast<double>(kept.size()) > worth_while * static_cast<double>(rows_)) return false;
    write_back();
    const auto pick = [&](auto& values, Index copies) {
      std::remove_cvref_t<decltype(values)> picked;
      for (Index copy = 0; copy < copies; ++copy) {
        for (const Index i : kept) picked.push_back(values[at(i + copy * rows_)]);
      }
      values = std::move(picked);
    };
    pick(sign_, copies_), pick(linear_, copies_), pick(upper_, copies_), pick(alpha_, copies_);
    pick(places_, 1), pick(members_, 1), pick(scores_, 1);
    rows_ = static_cast<Index>(kept.size());
    return true;
  }

  // The multipliers and scores of the remaining rows, to the whole problem's solution.
  void write_back() {
    const Index all = static_cast<Index>(whole_.scores.size());
    for (Index i = 0; i < rows_; ++i) {
      whole_.scores[at(places_[at(i)])] = scores_[at(i)];
      for (Index copy = 0; copy < copies_; ++copy) {
        whole_.alpha[at(places_[at(i)] + copy * all)] = alpha_[at(i + copy * rows_)];
      }
    }
  }

 private:
  // Whether a variable of the row is free, or may move and could come to want it.
  bool matters(Index row, const Extremes& extremes, double margin) const {
    for (Index copy = 0; copy < copies_; ++copy) {
      const std::size_t t = at(row + copy * rows_);
      const int group = bias_ == Bias::two && sign_[t] < 0 ? 1 : 0;
      const double v = -static_cast<double>(sign_[t]) * linear_[t] - scores_[at(row)];
      const bool rises = may_rise(sign_[t], alpha_[t], upper_[t]);
      const bool falls = may_fall(sign_[t], alpha_[t], upper_[t]);
      const double lowest = bias_ == Bias::none ? 0.0 : extremes.fall[group];
      const double highest = bias_ == Bias::none ? 0.0 : extremes.rise[group];
      if ((rises && falls) || (rises && v > lowest - margin) || (falls && v < highest + margin)) return true;
    }
    return false;
  }

  Solution& whole_;
  Index rows_;
  Bias bias_;
  Index copies_;
  std::vector<Index> places_;  // of the rows in the whole problem
  std::vector<std::int32_t> members_;
  std::vector<std::int8_t> sign_;
  std::vector<double> linear_, upper_, alpha_, scores_;
};

}  // namespace

void solve_shrinking(const Problem& problem, const Table& table, std::span<const std::int32_t> members,
                     const KernelFunction& kernel, const SolverOptions& options, int threads, StopToken& stop,
                     Solution& solution) {
  SolverOptions stage = options;
  stage.tolerance = stage.fine_tolerance = first_stage * options.tolerance;
  Remaining remaining(problem, members, solution);
  Solution part = solution;
  std::int64_t steps = 0;
  bool more = true;
  while (more) {  // once per set of rows
    const KernelRows<float> source(table, remaining.members(), kernel);
    RowStore<float> store(source.size());
    RowCache<float> cache(source, store, options.cache_bytes, largest_block(source.size(), stage));
    remaining.connect(part);
    const Problem rest = remaining.problem();
    for (bool fewer = false; more && !fewer;) {
      solve(rest, cache, stage, threads, stop, part);
      part.scores_given = true;
      steps += part.status.iterations;
      more = part.status.reason == StopReason::converged && stage.tolerance > options.tolerance;
      stage.tolerance = stage.fine_tolerance = std::max(next_stage * stage.tolerance, options.tolerance);
      if (stage.max_steps >= 0) stage.max_steps = std::max<std::int64_t>(0, options.max_steps - steps);
      if (more) fewer = remaining.shrink(std::max(part.violation, stage.tolerance));
    }
  }
  remaining.write_back();
  solution.violation = part.violation;
  solution.status = part.status;
  solution.status.iterations = steps;
}

}  // namespace certus::svm
