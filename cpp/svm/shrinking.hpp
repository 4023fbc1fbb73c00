// Solving on fewer and fewer rows: variables at a bound that clearly want to stay there are set aside, the
// others solved on with shorter kernel rows. The scores of rows that were set aside are not kept up to date:
// the caller computes them anew before it says that the problem is solved.
#pragma once

#include "svm/solver.hpp"

namespace certus::svm {

// Solves to options.tolerance in single precision, in stages of a tenth of the violation each; their kernel
// rows are kept in at most options.cache_bytes.
void solve_shrinking(const Problem& problem, const Table& table, std::span<const std::int32_t> members,
                     const KernelFunction& kernel, const SolverOptions& options, int threads, StopToken& stop,
                     Solution& solution);

}  // namespace certus::svm
