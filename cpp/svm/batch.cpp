#include "svm/batch.hpp"

#include "core/parallel.hpp"
#include "svm/solver.hpp"

namespace certus::svm {
namespace {

constexpr Index few = 4;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class T>
void solve_batch(const Table& table, const KernelFunction& kernel, const Batch& batch,
                 const SolverOptions& options, int threads, StopToken& stop, const BatchSolution& out) {
  const auto solve_one = [&](Index b, int threads_inside, const SolverOptions& limits) {
    const std::size_t first = at(batch.starts[at(b)]), count = at(batch.starts[at(b) + 1]) - first;
    const std::size_t first_variable = first * at(batch.copies), variables = count * at(batch.copies);
    const KernelRows<T> rows(table, batch.members.subspan(first, count), kernel);
    const Problem problem{
        static_cast<Index>(count), batch.bias, batch.sign.subspan(first_variable, variables),
        batch.linear.subspan(first_variable, variables), batch.upper.subspan(first_variable, variables)};
    Solution solution;
    solution.alpha = out.alpha.subspan(first_variable, variables);
    solution.scores = out.scores.subspan(first, count);
    solve(problem, rows, limits, threads_inside, stop, solution);
    out.centers(b, 0) = solution.center[0];
    out.centers(b, 1) = solution.center[1];
    out.violation[at(b)] = solution.violation;
    out.steps[at(b)] = solution.status.iterations;
    out.reasons[at(b)] = static_cast<std::int32_t>(solution.status.reason);
  };
  if (batch.problems() < few) {
    for (Index b = 0; b < batch.problems() && !stop.poll(); ++b) solve_one(b, threads, options);
    return;
  }
  SolverOptions shared = options;
  shared.cache_bytes /= std::max(threads, 1);
  parallel_for(batch.problems(), threads, stop, [&](Index b, int) { solve_one(b, 1, shared); });
}

template void solve_batch<float>(const Table&, const KernelFunction&, const Batch&, const SolverOptions&, int,
                                 StopToken&, const BatchSolution&);
template void solve_batch<double>(const Table&, const KernelFunction&, const Batch&, const SolverOptions&,
                                  int, StopToken&, const BatchSolution&);

}  // namespace certus::svm
