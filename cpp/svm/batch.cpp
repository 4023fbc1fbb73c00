#include "svm/batch.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/parallel.hpp"
#include "svm/solver.hpp"

namespace certus::svm {
namespace {

constexpr Index few = 4;         // so many problems are solved one after the other
constexpr Index tiny = 400;      // rows up to which single precision does not pay
constexpr double closer = 0.75;  // single precision aims at this share of the tolerance, for it is verified

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// What a thread needs for one problem after the other.
struct Worker {
  explicit Worker(Index longest) : single(longest), precise(longest) {}
  RowStore<float> single;
  RowStore<double> precise;
};

void solve_precisely(const Table& table, const KernelFunction& kernel, std::span<const std::int32_t> members,
                     const Problem& problem, const SolverOptions& options, bool single, int threads,
                     StopToken& stop, Worker& worker, Solution& solution) {
  std::int64_t first_steps = 0;
  SolverOptions rest = options;
  if (single && problem.rows > tiny) {
    SolverOptions rough = options;
    rough.tolerance *= closer;
    rough.fine_tolerance = rough.tolerance;
    solve(problem, KernelRows<float>(table, members, kernel), worker.single, rough, threads, stop, solution);
    first_steps = solution.status.iterations;
    rest.whole_problem = tiny;
    if (rest.max_steps >= 0) rest.max_steps = std::max<std::int64_t>(0, rest.max_steps - first_steps);
  }
  solve(problem, KernelRows<double>(table, members, kernel), worker.precise, rest, threads, stop, solution);
  solution.status.iterations += first_steps;
}

}  // namespace

void solve_batch(const Table& table, const KernelFunction& kernel, const Batch& batch,
                 const SolverOptions& options, bool single, int threads, StopToken& stop,
                 const BatchSolution& out) {
  const auto solve_one = [&](Index b, int threads_inside, const SolverOptions& limits, Worker& worker) {
    const std::size_t first = at(batch.starts[at(b)]), count = at(batch.starts[at(b) + 1]) - first;
    const std::size_t first_variable = first * at(batch.copies), variables = count * at(batch.copies);
    const Problem problem{
        static_cast<Index>(count), batch.bias, batch.sign.subspan(first_variable, variables),
        batch.linear.subspan(first_variable, variables), batch.upper.subspan(first_variable, variables)};
    Solution solution;
    solution.alpha = out.alpha.subspan(first_variable, variables);
    solution.scores = out.scores.subspan(first, count);
    solve_precisely(table, kernel, batch.members.subspan(first, count), problem, limits, single,
                    threads_inside, stop, worker, solution);
    out.centers(b, 0) = solution.center[0];
    out.centers(b, 1) = solution.center[1];
    out.violation[at(b)] = solution.violation;
    out.steps[at(b)] = solution.status.iterations;
    out.reasons[at(b)] = static_cast<std::int32_t>(solution.status.reason);
  };
  Index longest = 0;
  for (Index b = 0; b < batch.problems(); ++b) {
    longest = std::max<Index>(longest, batch.starts[at(b) + 1] - batch.starts[at(b)]);
  }
  if (batch.problems() < few) {
    Worker worker(longest);
    for (Index b = 0; b < batch.problems() && !stop.poll(); ++b) solve_one(b, threads, options, worker);
    return;
  }
  SolverOptions shared = options;
  shared.cache_bytes /= std::max(threads, 1);
  std::vector<std::unique_ptr<Worker>> workers(at(std::max(threads, 1)));
  parallel_for(batch.problems(), threads, stop, [&](Index b, int number) {
    std::unique_ptr<Worker>& own = workers[at(number)];
    if (own == nullptr) own = std::make_unique<Worker>(longest);
    solve_one(b, 1, shared, *own);
  });
}

}  // namespace certus::svm
