#include "svm/pair_kernels.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace certus::svm {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

double Parts::values_within() const {
  double sum = 0.0;
  for (Index c = 0; c < count(); ++c) sum += static_cast<double>(size(c)) * static_cast<double>(size(c));
  return sum;
}

double Parts::values_of_pair() const {
  Index largest = 0, second = 0;
  for (Index c = 0; c < count(); ++c) {
    second = std::max(second, std::min(largest, size(c)));
    largest = std::max(largest, size(c));
  }
  const auto rows = static_cast<double>(largest + second);
  return rows * rows;
}

PairKernels::PairKernels(const Table& table, const KernelFunction& kernel, const Parts& parts, int threads,
                         StopToken& stop)
    : parts_(parts), rows_(table, parts.members, kernel), within_(at(parts.count())) {
  for (Index c = 0; c < parts.count(); ++c) {
    within_[at(c)] = std::make_unique_for_overwrite<double[]>(at(parts.size(c) * parts.size(c)));
  }
  parallel_for(parts.count(), threads, stop, [&](Index c, int) {
    fill_symmetric(rows_, parts.starts[at(c)], parts.size(c), within_[at(c)].get(), parts.size(c), 1, stop);
  });
}

WholeKernel PairKernels::matrix(Index a, Index b, double* out) const {
  const Index of_a = parts_.size(a), of_b = parts_.size(b), size = of_a + of_b;
  const Index first_a = parts_.starts[at(a)], first_b = parts_.starts[at(b)];
  for (Index i = 0; i < of_a; ++i) std::copy_n(within_[at(a)].get() + i * of_a, of_a, out + i * size);
  for (Index i = 0; i < of_b; ++i) {
    std::copy_n(within_[at(b)].get() + i * of_b, of_b, out + (of_a + i) * size + of_a);
  }
  fill_rectangle(rows_, first_a, of_a, first_b, of_b, out + of_a, out + of_a * size, size);
  std::vector<double> diagonal(rows_.diagonal().begin() + first_a, rows_.diagonal().begin() + first_a + of_a);
  diagonal.insert(diagonal.end(), rows_.diagonal().begin() + first_b,
                  rows_.diagonal().begin() + first_b + of_b);
  return {out, std::move(diagonal)};
}

}  // namespace certus::svm
