// Solves the quadratic problem of problem.hpp by blocks of rows.
//
// Each round takes a block of rows: those whose variables violate optimality most, and the most recently used
// free ones. Their kernel rows come from the cache or from one matrix product; pair steps inside the block
// (pair_steps.hpp) cost O(block) each; then the scores of all rows follow in one pass over the block's kernel
// rows. A problem that fits into one block is solved by pair steps alone. Sums are kept in double whatever
// the type T of the kernel values. Cost: O(rounds x block x rows) after the kernel rows.
#pragma once

#include "svm/kernel_rows.hpp"
#include "svm/problem.hpp"

namespace certus::svm {

template <class T>
void solve(const Problem& problem, const KernelRows<T>& kernel, const SolverOptions& options, int threads,
           StopToken& stop, Solution& solution);

}  // namespace certus::svm
