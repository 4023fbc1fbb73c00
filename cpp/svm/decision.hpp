// Kernel expansions at many rows: sums over the distinct support vectors, each kernel value computed once.
//
// out(i, c, o) = sum over the support vectors j of group c of coefficients(o, j) k(query i, support j). In a
// one-versus-one machine group c holds the support vectors of class c and the decision between classes a < b
// is out(i, a, b - 1) + out(i, b, a) plus the intercept. Blocks of queries run in parallel; for each block of
// support vectors there is one matrix product for the kernel and one per group for the sums.
#pragma once

#include "svm/kernel_rows.hpp"

namespace certus::svm {

struct Expansion {
  std::span<const std::int64_t> group_starts;  // groups + 1
  View2D<const double> coefficients;           // outputs x support vectors
};

// `out` is queries x (groups * outputs), row-major.
void expand(const Table& queries, const Table& support, const KernelFunction& kernel,
            const Expansion& expansion, int threads, StopToken& stop, View2D<double> out);

}  // namespace certus::svm
