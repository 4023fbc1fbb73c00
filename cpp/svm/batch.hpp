// Several problems over one table, such as the pairs of classes of a one-versus-one machine.
#pragma once

#include "svm/kernel_rows.hpp"
#include "svm/problem.hpp"

namespace certus::svm {

// Problem b has the rows members[starts[b] .. starts[b + 1]) of the table; its variables lie in the same
// order in the arrays below, all first copies, then all second ones, from copies x starts[b] on.
struct Batch {
  Bias bias = Bias::one;
  Index copies = 1;
  std::span<const std::int32_t> members;
  std::span<const std::int64_t> starts;
  std::span<const std::int8_t> sign;
  std::span<const double> linear;
  std::span<const double> upper;

  Index problems() const { return static_cast<Index>(starts.size()) - 1; }
};

struct BatchSolution {
  std::span<double> alpha;          // in: feasible starts
  std::span<double> scores;         // one per member
  View2D<double> centers;           // problems x 2
  std::span<double> violation;      // per problem
  std::span<std::int64_t> steps;    // per problem
  std::span<std::int32_t> reasons;  // StopReason per problem
};

// Kernel values of type T. Few problems are solved one after the other on all threads, many side by side.
template <class T>
void solve_batch(const Table& table, const KernelFunction& kernel, const Batch& batch,
                 const SolverOptions& options, int threads, StopToken& stop, const BatchSolution& out);

}  // namespace certus::svm
