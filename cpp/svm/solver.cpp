#include "svm/solver.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "core/parallel.hpp"
#include "svm/block_choice.hpp"
#include "svm/joint_steps.hpp"
#include "svm/kernel_ops.hpp"
#include "svm/pair_steps.hpp"
#include "svm/row_cache.hpp"

namespace certus::svm {
namespace {

constexpr Index usual_block = 512;
constexpr Index score_block = 2048;  // scores updated by one task
constexpr int most_renewals = 10;    // of the scores, each time that the solver would stop
constexpr Index most_free = 2048;    // free variables up to which they are moved together
constexpr double pair_cost = 6.0;    // of a pair step per row, in multiplications of a joint step
// Pair steps, with joint steps in between, that must bring progress: so many, and more per variable.
constexpr std::int64_t patience = 100'000, patience_per_variable = 200;
constexpr double progress = 0.8;  // of the violation

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T, class Rows>
class Solver {
 public:
  Solver(const Problem& problem, Rows& kernel, const SolverOptions& options, int threads, StopToken& stop,
         Solution& solution)
      : problem_(problem),
        kernel_(kernel),
        options_(options),
        threads_(threads),
        stop_(stop),
        out_(solution),
        block_(largest_block(problem.rows, options)),
        choice_(problem, block_),
        goal_(options.tolerance),
        limit_(options.max_steps >= 0 ? options.max_steps
                                      : std::max<std::int64_t>(3'000'000, 100 * problem.variables())),
        stint_end_(1000 + 4 * problem.variables()),
        root_(kernel.diagonal()) {
    for (double& value : root_) value = std::sqrt(std::abs(value));
    largest_root_ = root_.empty() ? 0.0 : *std::max_element(root_.begin(), root_.end());
  }

  void run();

 private:
  void compute_scores();
  void load_block();
  void finish_round();
  void add_to_scores();
  void joint_round();
  bool free_variables();
  void apply_joint();
  double rounding() const;
  bool hopeless();
  std::optional<StopReason> reason_to_stop(int idle);
  void set_centers(const Extremes& extremes);

  const Problem& problem_;
  Rows& kernel_;
  const SolverOptions& options_;
  int threads_;
  StopToken& stop_;
  Solution& out_;
  Index block_;
  BlockChoice choice_;
  double goal_;         // the tolerance aimed at now
  bool fine_ = false;   // whether that is the fine one
  bool fresh_ = false;  // whether the scores were computed from the multipliers and not moved since
  int renewals_ = 0;
  static constexpr bool exact_ = std::is_same_v<T, double>;  // single precision is verified by the caller
  std::int64_t limit_;                                       // on steps
  std::int64_t done_ = 0;
  PairSteps<T> steps_;
  std::int64_t stint_end_;  // pair steps before the free variables are moved together
  double pair_work_ = 0.0, joint_work_ = 0.0;
  double best_ = 0.0;  // violation at step `best_at_`, and never much smaller since
  std::int64_t best_at_ = 0;
  JointSteps joint_;
  FreeVariables free_;
  std::vector<Index> free_index_;
  std::vector<double> root_;  // of the diagonal
  double largest_root_ = 0.0;
  std::vector<Index> rows_;
  std::vector<const T*> lines_;
  std::vector<T> sub_kernel_;
  std::vector<double> change_;
};

template <class T, class Rows>
void Solver<T, Rows>::compute_scores() {
  std::vector<double> coefficients(at(problem_.rows), 0.0);
  for (Index t = 0; t < problem_.variables(); ++t) {
    coefficients[at(t % problem_.rows)] += static_cast<double>(problem_.sign[at(t)]) * out_.alpha[at(t)];
  }
  kernel_.sums(coefficients, threads_, stop_, out_.scores);
  fresh_ = true;
}

template <class T, class Rows>
void Solver<T, Rows>::load_block() {
  const std::size_t size = rows_.size();
  lines_.resize(size);
  kernel_.fetch(rows_, lines_, threads_, stop_);
  if (static_cast<Index>(size) == problem_.rows && !kernel_.whole().empty()) {
    steps_.load(problem_, rows_, kernel_.whole(), kernel_.diagonal(), out_.alpha, out_.scores);
    return;
  }
  sub_kernel_.resize(size * size);
  parallel_ranges(static_cast<Index>(size), 64, threads_, stop_, [&](Index first, Index last, int) {
    for (std::size_t r = at(first); r < at(last); ++r) {
      for (std::size_t c = 0; c < size; ++c) sub_kernel_[r * size + c] = lines_[r][rows_[c]];
    }
  });
  steps_.load(problem_, rows_, sub_kernel_, kernel_.diagonal(), out_.alpha, out_.scores);
}

template <class T, class Rows>
void Solver<T, Rows>::finish_round() {
  change_.resize(rows_.size());
  steps_.store(rows_, out_.alpha, change_);
  add_to_scores();
}

// The scores after the rows of the block changed by `change_`.
template <class T, class Rows>
void Solver<T, Rows>::add_to_scores() {
  std::vector<const T*> moved;
  std::vector<double> coefficients;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (change_[k] != 0.0) moved.push_back(lines_[k]), coefficients.push_back(change_[k]);
  }
  fresh_ = fresh_ && moved.empty();
  parallel_ranges(problem_.rows, score_block, threads_, stop_, [&](Index first, Index last, int) {
    kernel_ops<T>().add_rows(moved.data(), coefficients.data(), static_cast<Index>(moved.size()), first,
                             out_.scores.data() + first, last - first);
  });
}

// Moves all free variables together, unless there are too many of them or it would cost more than the pair
// steps so far.
template <class T, class Rows>
void Solver<T, Rows>::joint_round() {
  stint_end_ = done_ + 64 + problem_.variables() / 8;  // the first time is later: most problems need none
  if (!free_variables()) return;
  lines_.resize(rows_.size());
  kernel_.fetch(rows_, lines_, threads_, stop_);
  const std::size_t size = free_index_.size();
  free_.kernel.resize(size * size);
  std::vector<std::size_t> place(size);
  for (std::size_t k = 0; k < size; ++k) {
    const auto found = std::lower_bound(rows_.begin(), rows_.end(), free_index_[k] % problem_.rows);
    place[k] = static_cast<std::size_t>(found - rows_.begin());
  }
  parallel_ranges(static_cast<Index>(size), 64, threads_, stop_, [&](Index first, Index last, int) {
    for (std::size_t r = at(first); r < at(last); ++r) {
      for (std::size_t c = 0; c < size; ++c) {
        free_.kernel[r * size + c] = static_cast<double>(lines_[place[r]][rows_[place[c]]]);
      }
    }
  });
  joint_work_ += joint_.run(free_, 0.1 * goal_, std::numeric_limits<T>::epsilon(), pair_work_ - joint_work_,
                            threads_, stop_);
  change_.assign(rows_.size(), 0.0);
  apply_joint();
  add_to_scores();
}

// Gathers the free variables and their rows; false if there is nothing to do or too much.
template <class T, class Rows>
bool Solver<T, Rows>::free_variables() {
  const Index most = std::min({most_free, kernel_.capacity(),
                               static_cast<Index>(std::sqrt(options_.cache_bytes / (4.0 * sizeof(double))))});
  free_index_.clear();
  rows_.clear();
  free_.v.clear(), free_.rise.clear(), free_.fall.clear(), free_.group.clear();
  free_.groups = static_cast<int>(problem_.bias);
  for (Index t = 0; t < problem_.variables(); ++t) {
    const double alpha = out_.alpha[at(t)], room = problem_.upper[at(t)] - alpha;
    if (!(alpha > 0.0 && room > 0.0)) continue;
    if (static_cast<Index>(free_index_.size()) == most) return false;
    const bool plus = problem_.sign[at(t)] > 0;
    free_index_.push_back(t);
    rows_.push_back(t % problem_.rows);
    free_.v.push_back((plus ? -1.0 : 1.0) * problem_.linear[at(t)] - out_.scores[at(rows_.back())]);
    free_.rise.push_back(plus ? room : alpha);
    free_.fall.push_back(plus ? alpha : room);
    free_.group.push_back(problem_.bias == Bias::two && !plus ? 1 : 0);
  }
  std::sort(rows_.begin(), rows_.end());
  rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
  const auto size = static_cast<double>(free_index_.size());
  return size > 1.0 && joint_work_ + size * size * size / 3.0 + 16.0 * size * size < pair_work_;
}

// Takes over the result of joint steps; what rounding leaves of the sums that are to stay as they are goes to
// the variable with the most room.
template <class T, class Rows>
void Solver<T, Rows>::apply_joint() {
  double drift[2] = {0.0, 0.0}, widest[2] = {0.0, 0.0};
  std::size_t taker[2] = {0, 0};
  const auto set = [&](std::size_t k, double value) {
    const std::size_t t = at(free_index_[k]);
    const auto place = std::lower_bound(rows_.begin(), rows_.end(), free_index_[k] % problem_.rows);
    const double moved = static_cast<double>(problem_.sign[t]) * (value - out_.alpha[t]);
    out_.alpha[t] = value;
    change_[static_cast<std::size_t>(place - rows_.begin())] += moved;
    drift[free_.group[k]] += moved;
  };
  for (std::size_t k = 0; k < free_index_.size(); ++k) {
    const std::size_t t = at(free_index_[k]);
    const double sign = static_cast<double>(problem_.sign[t]), upper = problem_.upper[t];
    double value = out_.alpha[t] + sign * free_.change[k];
    if (free_.met[k] != 0) value = free_.met[k] * sign > 0.0 ? upper : 0.0;
    set(k, std::clamp(value, 0.0, upper));
    const double room = std::min(out_.alpha[t], upper - out_.alpha[t]);
    if (room > widest[free_.group[k]]) widest[free_.group[k]] = room, taker[free_.group[k]] = k;
  }
  for (int g = 0; g < free_.groups; ++g) {
    const std::size_t t = at(free_index_[taker[g]]);
    const double mended = out_.alpha[t] - static_cast<double>(problem_.sign[t]) * drift[g];
    if (widest[g] > 0.0 && mended > 0.0 && mended < problem_.upper[t]) set(taker[g], mended);
  }
}

// Differences of v below this cannot be told from rounding errors of the scores: of their size, and of that
// of the terms they are sums of, |k(i, j)| <= sqrt(k(i, i) k(j, j)).
template <class T, class Rows>
double Solver<T, Rows>::rounding() const {
  double largest = 0.0, terms = 0.0;
  for (const double score : out_.scores) largest = std::max(largest, std::abs(score));
  for (Index t = 0; t < problem_.variables(); ++t) {
    if (out_.alpha[at(t)] > 0.0) terms += out_.alpha[at(t)] * root_[at(t % problem_.rows)];
  }
  const double of_terms = terms * largest_root_ / 256.0;  // errors of many terms cancel for the most part
  return std::numeric_limits<T>::epsilon() * (exact_ ? std::max(64.0 * largest, of_terms) : of_terms);
}

// Whether neither pair steps nor joint ones have brought the violation down for a long time.
template <class T, class Rows>
bool Solver<T, Rows>::hopeless() {
  if (joint_work_ == 0.0 || out_.violation < progress * best_) {
    best_ = out_.violation;
    best_at_ = done_;
  }
  return done_ - best_at_ > patience + patience_per_variable * problem_.variables();
}

template <class T, class Rows>
std::optional<StopReason> Solver<T, Rows>::reason_to_stop(int idle) {
  if (stop_.poll()) return StopReason::interrupted;
  if (!(out_.violation < std::numeric_limits<double>::infinity())) return StopReason::numerical_failure;
  if (!(out_.violation > options_.tolerance)) {
    if (!fine_ && options_.fine_tolerance < options_.tolerance) {
      fine_ = true;
      goal_ = options_.fine_tolerance;
      limit_ = std::min(limit_, done_ + std::max<std::int64_t>(4 * done_, 40'000));
    }
    const bool enough = !fine_ || out_.violation <= goal_ || done_ >= limit_ || idle > 0;
    if (enough || out_.violation <= rounding()) return StopReason::converged;
    return std::nullopt;
  }
  if (done_ >= limit_) return StopReason::out_of_iterations;
  if (out_.violation <= rounding() || idle >= 3 || hopeless()) return StopReason::stalled;
  return std::nullopt;
}

template <class T, class Rows>
void Solver<T, Rows>::run() {
  if (out_.scores_given) {
    fresh_ = true;
  } else {
    compute_scores();
  }
  std::optional<StopReason> reason;
  int idle = 0;
  for (;;) {
    const Extremes extremes = choice_.extremes(out_.alpha, out_.scores);
    out_.violation = extremes.violation();
    reason = reason_to_stop(idle);
    if (reason && reason != StopReason::interrupted && exact_ && !fresh_ && renewals_ < most_renewals) {
      ++renewals_;
      compute_scores();
      continue;
    }
    if (reason) {
      set_centers(extremes);
      break;
    }
    choice_.choose(out_.alpha, out_.scores, extremes, rows_);
    load_block();
    const bool whole = static_cast<Index>(rows_.size()) == problem_.rows;
    const double target = whole ? 0.5 * goal_ : std::max(0.5 * goal_, 0.1 * out_.violation);
    const std::int64_t stint = std::max<std::int64_t>(stint_end_ - done_, 1);
    const std::int64_t most = std::min(limit_ - done_, whole || joint_work_ > 0.0 ? stint : 32 * block_);
    const std::int64_t made = steps_.run(target, most, stop_);
    done_ += made;
    pair_work_ += pair_cost * static_cast<double>(made) * static_cast<double>(rows_.size());
    idle = made == 0 ? idle + 1 : 0;
    finish_round();
    if (done_ >= stint_end_) joint_round();
  }
  out_.status.iterations = done_;
  out_.status.reason = *reason;
}

// v of the free variables (their mean); where none is free, the middle of what is allowed.
template <class T, class Rows>
void Solver<T, Rows>::set_centers(const Extremes& extremes) {
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

template <class Rows>
using ValueOf = std::remove_cvref_t<decltype(std::declval<Rows&>().whole().front())>;

}  // namespace

Index largest_block(Index rows, const SolverOptions& options) {
  return rows <= options.whole_problem ? rows : std::min(rows, usual_block);
}

template <class Rows>
void solve(const Problem& problem, Rows& rows, const SolverOptions& options, int threads, StopToken& stop,
           Solution& solution) {
  Solver<ValueOf<Rows>, Rows>(problem, rows, options, threads, stop, solution).run();
}

template void solve(const Problem&, RowCache<float>&, const SolverOptions&, int, StopToken&, Solution&);
template void solve(const Problem&, RowCache<double>&, const SolverOptions&, int, StopToken&, Solution&);
template void solve(const Problem&, WholeKernel&, const SolverOptions&, int, StopToken&, Solution&);

}  // namespace certus::svm
