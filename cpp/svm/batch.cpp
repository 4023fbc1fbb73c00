#include "svm/batch.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "core/parallel.hpp"
#include "svm/block_choice.hpp"
#include "svm/kernel_sums.hpp"
#include "svm/shrinking.hpp"
#include "svm/solver.hpp"

namespace certus::svm {
namespace {

constexpr Index few = 4;  // fewer problems than this are solved one after the other
constexpr std::int64_t few_steps = 20'000, steps_per_variable = 20;  // limit in single precision: the rest is
                                                                     // too ill-conditioned for it
constexpr int most_attempts = 3;  // in single precision, each from scores in double precision
constexpr double closer = 0.75;   // single precision aims at this share of the tolerance, for it is verified

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// What a thread needs for one problem after the other.
class Worker {
 public:
  double* matrix(Index rows) {  // not initialized
    const auto values = static_cast<std::size_t>(rows * rows);
    if (values > size_) matrix_ = std::make_unique_for_overwrite<double[]>(size_ = values);
    return matrix_.get();
  }

 private:
  std::unique_ptr<double[]> matrix_;
  std::size_t size_ = 0;
};

// Kernel rows in both precisions, kept from one problem to the next as long as the rows are the same.
struct Rows {
  Rows(const Table& table, std::span<const std::int32_t> members, const KernelFunction& kernel, double bytes)
      : table(table),
        members(members),
        kernel(kernel),
        bytes(bytes),
        block(largest_block(size(), SolverOptions{})),
        store_single(size()),
        store(size()) {}

  Index size() const { return static_cast<Index>(members.size()); }
  RowCache<float>& in_single() {
    if (!cache_single) {
      rows_single.emplace(table, members, kernel);
      cache_single.emplace(*rows_single, store_single, bytes, block);
    }
    return *cache_single;
  }
  void drop_single() {
    cache_single.reset();
    rows_single.reset();
    store_single.rows.clear();
  }
  RowCache<double>& in_double() {
    if (!cache) {
      rows.emplace(table, members, kernel);
      cache.emplace(*rows, store, bytes, block);
    }
    return *cache;
  }

  const Table& table;
  std::span<const std::int32_t> members;
  KernelFunction kernel;
  double bytes;
  Index block;  // rows that the solver asks for at once
  RowStore<float> store_single;
  RowStore<double> store;
  std::optional<KernelRows<float>> rows_single;
  std::optional<KernelRows<double>> rows;
  std::optional<RowCache<float>> cache_single;
  std::optional<RowCache<double>> cache;
};

class BatchSolver {
 public:
  BatchSolver(const Table& table, const KernelFunction& kernel, const Batch& batch,
              const SolverOptions& options, bool single, int threads, StopToken& stop,
              const BatchSolution& out)
      : table_(table),
        kernel_(kernel),
        batch_(batch),
        options_(options),
        single_(single),
        threads_(std::max(threads, 1)),
        stop_(stop),
        out_(out) {}

  void run() {
    if (batch_.parts.count() > 2 && parts_make_problems() && pairs_fit()) {
      solve_pairs();
    } else if (batch_.problems() > 1 && same_members()) {
      solve_on_same_rows();
    } else if (batch_.problems() < few) {
      Worker worker;
      for (Index b = 0; b < batch_.problems() && !stop_.poll(); ++b) solve_alone(b, threads_, worker);
    } else {
      side_by_side(largest_whole(), [&](Index b, Worker& worker) { solve_alone(b, 1, worker); });
    }
  }

 private:
  double quarter_of_cache() const { return options_.cache_bytes / 4.0; }
  bool whole_fits(double rows) const { return rows * rows * sizeof(double) <= quarter_of_cache(); }
  double largest_whole() const {  // bytes of the largest matrix that a problem is solved on
    double most = 0.0;
    for (Index b = 0; b < batch_.problems(); ++b) {
      const auto rows = static_cast<double>(members(b).size());
      if (whole_fits(rows)) most = std::max(most, rows * rows * sizeof(double));
    }
    return most;
  }
  bool pairs_fit() const {
    return batch_.parts.values_within() * sizeof(double) <= options_.cache_bytes / 2.0 &&
           batch_.parts.values_of_pair() * sizeof(double) <= quarter_of_cache();
  }
  std::span<const std::int32_t> members(Index b) const {
    const std::int64_t first = batch_.starts[at(b)];
    return batch_.members.subspan(at(first), at(batch_.starts[at(b) + 1] - first));
  }
  // Whether every problem has the rows of its two parts and no others.
  bool parts_make_problems() const {
    if (static_cast<Index>(batch_.pairs.size()) != 2 * batch_.problems()) return false;
    for (Index b = 0; b < batch_.problems(); ++b) {
      const auto first = part_members(batch_.pairs[at(2 * b)]),
                 second = part_members(batch_.pairs[at(2 * b + 1)]);
      const auto rows = members(b);
      if (rows.size() != first.size() + second.size() ||
          !std::ranges::equal(rows.first(first.size()), first) ||
          !std::ranges::equal(rows.last(second.size()), second)) {
        return false;
      }
    }
    return true;
  }
  std::span<const std::int32_t> part_members(Index part) const {
    return batch_.parts.members.subspan(at(batch_.parts.starts[at(part)]), at(batch_.parts.size(part)));
  }
  bool same_members() const {
    for (Index b = 1; b < batch_.problems(); ++b) {
      if (!std::ranges::equal(members(b), members(0))) return false;
    }
    return true;
  }

  // Problems on one thread each, on so many that their matrices of `bytes` each stay within half the cache.
  template <class Body>
  void side_by_side(double bytes, Body&& body) {
    const double affordable = std::max(1.0, options_.cache_bytes / 2.0 / std::max(bytes, 1.0));
    const int workers = affordable < threads_ ? static_cast<int>(affordable) : threads_;
    std::vector<Worker> own(at(workers));
    parallel_for(batch_.problems(), workers, stop_, [&](Index b, int number) { body(b, own[at(number)]); });
  }

  void solve_pairs() {
    const PairKernels kernels(table_, kernel_, batch_.parts, threads_, stop_);
    Index longest = 0;
    for (Index b = 0; b < batch_.problems(); ++b) {
      longest = std::max(longest, static_cast<Index>(members(b).size()));
    }
    side_by_side(batch_.parts.values_of_pair() * sizeof(double), [&](Index b, Worker& worker) {
      WholeKernel whole =
          kernels.matrix(batch_.pairs[at(2 * b)], batch_.pairs[at(2 * b + 1)], worker.matrix(longest));
      solve_on_whole(b, whole, 1);
    });
  }

  // The rows are the same in all problems: one matrix, or one cache per precision, serves all of them.
  void solve_on_same_rows() {
    const auto size = static_cast<double>(members(0).size());
    if (size * size * sizeof(double) <= options_.cache_bytes) {
      Worker shared;
      WholeKernel whole = matrix_of(members(0), threads_, shared);
      side_by_side(1.0, [&](Index b, Worker&) {
        WholeKernel own = whole;
        solve_on_whole(b, own, 1);
      });
      return;
    }
    Rows rows(table_, members(0), kernel_, options_.cache_bytes);
    for (Index b = 0; b < batch_.problems() && !stop_.poll(); ++b) solve_in_stages(b, rows, threads_);
  }

  void solve_alone(Index b, int threads, Worker& worker) {
    const std::span<const std::int32_t> rows = members(b);
    if (whole_fits(static_cast<double>(rows.size()))) {
      WholeKernel whole = matrix_of(rows, threads, worker);
      solve_on_whole(b, whole, threads);
    } else {
      const int sharing = batch_.problems() < few ? 1 : threads_;
      Rows caches(table_, rows, kernel_, options_.cache_bytes / sharing);
      solve_in_stages(b, caches, threads);
    }
  }

  WholeKernel matrix_of(std::span<const std::int32_t> rows, int threads, Worker& worker) {
    const KernelRows<double> source(table_, rows, kernel_);
    double* matrix = worker.matrix(source.size());
    fill_symmetric(source, 0, source.size(), matrix, source.size(), threads, stop_);
    return {matrix, source.diagonal()};
  }

  void solve_on_whole(Index b, WholeKernel& whole, int threads) {
    SolverOptions options = options_;
    options.whole_problem = static_cast<Index>(members(b).size());
    const Problem problem = problem_of(b);
    Solution solution = solution_of(b);
    solve(problem, whole, options, threads, stop_, solution);
    keep(b, solution);
  }

  void solve_in_stages(Index b, Rows& rows, int threads) {
    const Problem problem = problem_of(b);
    Solution solution = solution_of(b);
    SolverOptions rest = options_;
    rest.cache_bytes = rows.bytes;
    std::int64_t steps = 0;
    for (int attempt = 0; single_ && attempt < most_attempts; ++attempt) {
      solve_in_single(problem, rows, rest, threads, solution);
      steps += solution.status.iterations;
      if (rest.max_steps >= 0) rest.max_steps = std::max<std::int64_t>(0, options_.max_steps - steps);
      if (stop_.poll() || !improve(problem, rows, threads, solution)) break;
    }
    const auto size = static_cast<double>(problem.rows);
    const bool too_hard = single_ && solution.status.reason != StopReason::converged;
    if (too_hard && rest.max_steps < 0 && size * size * sizeof(double) <= rows.bytes) {
      Worker own;
      WholeKernel whole = matrix_of(rows.members, threads, own);
      rest.whole_problem = problem.rows;
      solve(problem, whole, rest, threads, stop_, solution);
    } else {
      solve(problem, rows.in_double(), rest, threads, stop_, solution);
    }
    solution.status.iterations += steps;
    keep(b, solution);
  }

  void solve_in_single(const Problem& problem, Rows& rows, SolverOptions rough, int threads,
                       Solution& solution) {
    rough.tolerance *= closer;
    rough.fine_tolerance = rough.tolerance;
    if (rough.max_steps < 0) rough.max_steps = few_steps + steps_per_variable * problem.variables();
    if (options_.shrinking && batch_.problems() == 1) {
      solve_shrinking(problem, table_, rows.members, kernel_, rough, threads, stop_, solution);
    } else {
      solve(problem, rows.in_single(), rough, threads, stop_, solution);
      if (batch_.problems() == 1) rows.drop_single();
    }
  }

  // Computes the scores in double precision; whether another round in single precision is worth while.
  bool improve(const Problem& problem, const Rows& rows, int threads, Solution& solution) {
    std::vector<double> coefficients(at(problem.rows), 0.0);
    for (Index t = 0; t < problem.variables(); ++t) {
      coefficients[at(t % problem.rows)] += problem.sign[at(t)] * solution.alpha[at(t)];
    }
    kernel_sums(table_, rows.members, kernel_, coefficients, threads, stop_, solution.scores);
    solution.scores_given = true;
    const double violation = BlockChoice(problem, 1).extremes(solution.alpha, solution.scores).violation();
    return solution.status.reason == StopReason::converged && violation > options_.tolerance;
  }

  Problem problem_of(Index b) const {
    const std::size_t first = at(batch_.starts[at(b)]) * at(batch_.copies);
    const std::size_t count = members(b).size() * at(batch_.copies);
    return {static_cast<Index>(members(b).size()), batch_.bias, batch_.sign.subspan(first, count),
            batch_.linear.subspan(first, count), batch_.upper.subspan(first, count)};
  }

  Solution solution_of(Index b) const {
    const std::size_t first = at(batch_.starts[at(b)]), count = members(b).size();
    Solution solution;
    solution.alpha = out_.alpha.subspan(first * at(batch_.copies), count * at(batch_.copies));
    solution.scores = out_.scores.subspan(first, count);
    return solution;
  }

  void keep(Index b, const Solution& solution) {
    out_.centers(b, 0) = solution.center[0];
    out_.centers(b, 1) = solution.center[1];
    out_.violation[at(b)] = solution.violation;
    out_.steps[at(b)] = solution.status.iterations;
    out_.reasons[at(b)] = static_cast<std::int32_t>(solution.status.reason);
  }

  const Table& table_;
  const KernelFunction& kernel_;
  const Batch& batch_;
  const SolverOptions& options_;
  bool single_;
  int threads_;
  StopToken& stop_;
  const BatchSolution& out_;
};

}  // namespace

void solve_batch(const Table& table, const KernelFunction& kernel, const Batch& batch,
                 const SolverOptions& options, bool single, int threads, StopToken& stop,
                 const BatchSolution& out) {
  BatchSolver(table, kernel, batch, options, single, threads, stop, out).run();
}

}  // namespace certus::svm
