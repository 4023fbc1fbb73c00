// Scores from scratch: F_i = sum_j beta_j k(i, j) in double precision, without keeping kernel values.
#pragma once

#include "svm/kernel_rows.hpp"

namespace certus::svm {

// Values between two rows with a coefficient are computed once and used for both. Blocks of such rows are
// paired as in a tournament, so that those of one round touch different scores: no waiting, and the order of
// the sums depends on the problem alone. Cost: s^2 / 2 + s (n - s) kernel values for s coefficients of n
// rows.
void kernel_sums(const Table& table, std::span<const std::int32_t> members, const KernelFunction& kernel,
                 std::span<const double> coefficients, int threads, StopToken& stop,
                 std::span<double> scores);

}  // namespace certus::svm
