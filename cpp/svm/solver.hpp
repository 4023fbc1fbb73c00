// Solves the quadratic problem of problem.hpp by blocks of rows.
//
// Each round takes a block of rows: those whose variables violate optimality most, and the most recently used
// free ones. Their kernel rows come from the cache or from one matrix product; pair steps inside the block
// (pair_steps.hpp) cost O(block) each; then the scores of all rows follow in one pass over the block's kernel
// rows. A problem that fits into one block is solved by pair steps alone. Sums are kept in double whatever
// the type of the kernel values, and computed anew from the multipliers before the solver says that it is
// done. Cost: O(rounds x block x rows) after the kernel rows.
#pragma once

#include "svm/kernel_rows.hpp"
#include "svm/problem.hpp"
#include "svm/row_cache.hpp"
#include "svm/whole_kernel.hpp"

namespace certus::svm {

// How many rows the solver works on at once: a cache must hold at least so many.
Index largest_block(Index rows, const SolverOptions& options);

// Rows is RowCache<float>, RowCache<double> or WholeKernel.
template <class Rows>
void solve(const Problem& problem, Rows& rows, const SolverOptions& options, int threads, StopToken& stop,
           Solution& solution);

}  // namespace certus::svm
