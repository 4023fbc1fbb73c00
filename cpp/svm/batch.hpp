// Several problems over one table, such as the pairs of classes of a one-versus-one machine, or one class
// against the others for every class. Kernel values are shared between the problems.
#pragma once

#include "svm/pair_kernels.hpp"
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
  // If given: problem b consists of the rows of parts pairs[2 b] and pairs[2 b + 1], in this order.
  Parts parts;
  std::span<const std::int32_t> pairs;

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

// A problem whose kernel matrix takes at most a quarter of the cache is solved on it in double precision;
// pairs of parts share the matrices within the parts (pair_kernels.hpp). Others begin, with `single`, on
// kernel values in single precision; the scores of that solution are then computed in double precision, and
// where needed it is improved. Problems with equal rows share their kernel rows. Few problems are solved one
// after the other on all threads, many side by side. The way taken depends on the problems and the cache
// alone.
void solve_batch(const Table& table, const KernelFunction& kernel, const Batch& batch,
                 const SolverOptions& options, bool single, int threads, StopToken& stop,
                 const BatchSolution& out);

}  // namespace certus::svm
