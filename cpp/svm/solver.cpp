#include "svm/solver.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/parallel.hpp"
#include "svm/block_choice.hpp"
#include "svm/kernel_ops.hpp"
#include "svm/pair_steps.hpp"
#include "svm/row_cache.hpp"

namespace certus::svm {
namespace {

constexpr Index whole_problem = 768;  // up to this many rows are one block
constexpr Index largest_block = 512;
constexpr Index score_block = 2048;  // scores updated by one task

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T>
class Solver {
 public:
  Solver(const Problem& problem, const KernelRows<T>& kernel, const SolverOptions& options, int threads,
         StopToken& stop, Solution& solution)
      : problem_(problem),
        kernel_(kernel),
        options_(options),
        threads_(threads),
        stop_(stop),
        out_(solution),
        block_(problem.rows <= whole_problem ? problem.rows : largest_block),
        choice_(problem, block_),
        cache_(kernel, options.cache_bytes, block_),
        goal_(options.tolerance),
        limit_(options.max_steps >= 0 ? options.max_steps
                                      : std::max<std::int64_t>(3'000'000, 100 * problem.variables())) {}

  void run();

 private:
  void start_scores();
  void add_to_scores(std::span<const Index> rows, std::span<const double> coefficients);
  void load_block();
  void finish_round();
  double rounding() const;
  std::optional<StopReason> reason_to_stop(int idle);
  void set_centers(const Extremes& extremes);

  const Problem& problem_;
  const KernelRows<T>& kernel_;
  const SolverOptions& options_;
  int threads_;
  StopToken& stop_;
  Solution& out_;
  Index block_;
  BlockChoice choice_;
  RowCache<T> cache_;
  double goal_;         // the tolerance aimed at now
  bool fine_ = false;   // whether that is the fine one
  std::int64_t limit_;  // on steps
  std::int64_t done_ = 0;
  PairSteps<T> steps_;
  std::vector<Index> rows_;
  std::vector<const T*> lines_;
  std::vector<T> sub_kernel_;
  std::vector<double> change_;
};

// F = sum over the rows with a coefficient, in blocks that fit into the cache.
template <class T>
void Solver<T>::start_scores() {
  std::fill(out_.scores.begin(), out_.scores.end(), 0.0);
  std::vector<Index> rows;
  std::vector<double> coefficients;
  for (Index i = 0; i <= problem_.rows; ++i) {
    if (static_cast<Index>(rows.size()) == block_ || (i == problem_.rows && !rows.empty())) {
      add_to_scores(rows, coefficients);
      rows.clear(), coefficients.clear();
      if (stop_.poll()) return;
    }
    if (i == problem_.rows) break;
    double sum = 0.0;
    for (Index t = i; t < problem_.variables(); t += problem_.rows) {
      sum += static_cast<double>(problem_.sign[at(t)]) * out_.alpha[at(t)];
    }
    if (sum != 0.0) rows.push_back(i), coefficients.push_back(sum);
  }
}

template <class T>
void Solver<T>::add_to_scores(std::span<const Index> rows, std::span<const double> coefficients) {
  std::vector<const T*> lines(rows.size());
  cache_.fetch(rows, lines, threads_, stop_);
  parallel_ranges(problem_.rows, score_block, threads_, stop_, [&](Index first, Index last, int) {
    kernel_ops<T>().add_rows(lines.data(), coefficients.data(), static_cast<Index>(rows.size()), first,
                             out_.scores.data() + first, last - first);
  });
}

template <class T>
void Solver<T>::load_block() {
  const std::size_t size = rows_.size();
  lines_.resize(size);
  cache_.fetch(rows_, lines_, threads_, stop_);
  sub_kernel_.resize(size * size);
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t c = 0; c < size; ++c) sub_kernel_[r * size + c] = lines_[r][rows_[c]];
  }
  steps_.load(problem_, rows_, sub_kernel_, kernel_.diagonal(), out_.alpha, out_.scores);
}

template <class T>
void Solver<T>::finish_round() {
  change_.resize(rows_.size());
  steps_.store(rows_, out_.alpha, change_);
  std::vector<const T*> moved;
  std::vector<double> coefficients;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (change_[k] != 0.0) moved.push_back(lines_[k]), coefficients.push_back(change_[k]);
  }
  parallel_ranges(problem_.rows, score_block, threads_, stop_, [&](Index first, Index last, int) {
    kernel_ops<T>().add_rows(moved.data(), coefficients.data(), static_cast<Index>(moved.size()), first,
                             out_.scores.data() + first, last - first);
  });
}

// Differences of v below this cannot be told from rounding errors of the scores.
template <class T>
double Solver<T>::rounding() const {
  double largest = 0.0;
  for (const double score : out_.scores) largest = std::max(largest, std::abs(score));
  return 64.0 * std::numeric_limits<double>::epsilon() * largest;
}

template <class T>
std::optional<StopReason> Solver<T>::reason_to_stop(int idle) {
  if (stop_.poll()) return StopReason::interrupted;
  if (!(out_.violation < std::numeric_limits<double>::infinity())) return StopReason::numerical_failure;
  if (!(out_.violation > options_.tolerance)) {
    if (!fine_ && options_.fine_tolerance < options_.tolerance) {
      fine_ = true;
      goal_ = options_.fine_tolerance;
      limit_ = std::min(limit_, done_ + std::max<std::int64_t>(4 * done_, 10'000));
    }
    const bool enough = !fine_ || out_.violation <= goal_ || done_ >= limit_ || idle > 0;
    if (enough || out_.violation <= rounding()) return StopReason::converged;
    return std::nullopt;
  }
  if (done_ >= limit_) return StopReason::out_of_iterations;
  if (out_.violation <= rounding() || idle >= 3) return StopReason::stalled;
  return std::nullopt;
}

template <class T>
void Solver<T>::run() {
  start_scores();
  std::optional<StopReason> reason;
  int idle = 0;
  for (;;) {
    const Extremes extremes = choice_.extremes(out_.alpha, out_.scores);
    out_.violation = extremes.violation();
    reason = reason_to_stop(idle);
    if (reason) {
      set_centers(extremes);
      break;
    }
    choice_.choose(out_.alpha, out_.scores, extremes, rows_);
    load_block();
    const bool whole = static_cast<Index>(rows_.size()) == problem_.rows;
    const double target = whole ? 0.5 * goal_ : std::max(0.5 * goal_, 0.1 * out_.violation);
    const std::int64_t most = whole ? limit_ - done_ : std::min<std::int64_t>(limit_ - done_, 32 * block_);
    const std::int64_t made = steps_.run(target, most, stop_);
    done_ += made;
    idle = made == 0 ? idle + 1 : 0;
    finish_round();
  }
  out_.status.iterations = done_;
  out_.status.reason = *reason;
}

// v of the free variables (their mean); where none is free, the middle of what is allowed.
template <class T>
void Solver<T>::set_centers(const Extremes& extremes) {
  double sums[2] = {0.0, 0.0};
  Index counts[2] = {0, 0};
  for (Index t = 0; t < problem_.variables(); ++t) {
    const std::size_t i = at(t);
    if (!(out_.alpha[i] > 0.0 && out_.alpha[i] < problem_.upper[i])) continue;
    const int group = problem_.bias == Bias::two && problem_.sign[i] < 0 ? 1 : 0;
    sums[group] +=
        -static_cast<double>(problem_.sign[i]) * problem_.linear[i] - out_.scores[at(t % problem_.rows)];
    ++counts[group];
  }
  for (int group = 0; group < 2; ++group) {
    const double rise = extremes.rise[group], fall = extremes.fall[group];
    if (counts[group] > 0) {
      out_.center[group] = sums[group] / static_cast<double>(counts[group]);
    } else if (std::isfinite(rise) && std::isfinite(fall)) {
      out_.center[group] = 0.5 * (rise + fall);
    } else {
      out_.center[group] = std::isfinite(rise) ? rise : std::isfinite(fall) ? fall : 0.0;
    }
  }
  if (problem_.bias == Bias::none) out_.center[0] = 0.0;
  if (problem_.bias != Bias::two) out_.center[1] = out_.center[0];
}

}  // namespace

template <class T>
void solve(const Problem& problem, const KernelRows<T>& kernel, const SolverOptions& options, int threads,
           StopToken& stop, Solution& solution) {
  Solver<T>(problem, kernel, options, threads, stop, solution).run();
}

template void solve<float>(const Problem&, const KernelRows<float>&, const SolverOptions&, int, StopToken&,
                           Solution&);
template void solve<double>(const Problem&, const KernelRows<double>&, const SolverOptions&, int, StopToken&,
                            Solution&);

}  // namespace certus::svm
