#include "svm/kernel_sums.hpp"

#include <algorithm>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace certus::svm {
namespace {

constexpr Index block = 512;
constexpr Index strip = 64;  // rows of a block whose products with another block stay in the cache

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class Sums {
 public:
  Sums(const KernelRows<double>& rows, std::span<const double> coefficients, int threads, StopToken& stop)
      : rows_(rows),
        beta_(coefficients),
        used_(static_cast<Index>(coefficients.size())),
        threads_(threads),
        stop_(stop),
        sums_(at(rows.size()), 0.0),
        scratch_(at(std::max(threads, 1))) {}

  // Both directions of all pairs of blocks: the circle method. Block `last` stays in its place, the others
  // move on by one seat per round.
  void among_used() {
    const Index blocks = block_count(used_, block);
    parallel_for(blocks, threads_, stop_, [&](Index b, int worker) { square(b, worker); });
    const Index seats = blocks + blocks % 2, others = seats - 1;
    for (Index round = 0; round < others && !stop_.poll(); ++round) {
      parallel_for(seats / 2, threads_, stop_, [&](Index table, int worker) {
        const Index a = table == 0 ? others : (round + table) % others;
        const Index b = (round + others - table) % others;
        if (a < blocks && b < blocks) rectangle(std::min(a, b), std::max(a, b), worker);
      });
    }
  }

  // The rows without a coefficient.
  void of_the_rest() {
    parallel_ranges(rows_.size() - used_, strip, threads_, stop_, [&](Index first, Index last, int worker) {
      for (Index from = 0; from < used_ && !stop_.poll(); from += block) {
        const Index wide = std::min(block, used_ - from);
        const double* values = compute(used_ + first, last - first, from, wide, worker);
        gemv_n(last - first, wide, 1.0, values, block, beta_.data() + from, 1.0,
               sums_.data() + used_ + first);
      }
    });
  }

  const std::vector<double>& values() const { return sums_; }

 private:
  const double* compute(Index top, Index high, Index first, Index wide, int worker) {
    std::vector<double>& values = scratch_[at(worker)];
    values.resize(at(strip * block));
    rows_.block(top, high, first, wide, values.data(), block);
    return values.data();
  }

  void square(Index b, int worker) {
    const Index first = b * block, wide = std::min(block, used_ - first);
    for (Index top = 0; top < wide; top += strip) {
      const Index high = std::min(strip, wide - top);
      const double* values = compute(first + top, high, first, wide, worker);
      gemv_n(high, wide, 1.0, values, block, beta_.data() + first, 1.0, sums_.data() + first + top);
    }
  }

  void rectangle(Index a, Index b, int worker) {
    const Index of_a = a * block, of_b = b * block;
    const Index tall = std::min(block, used_ - of_a), wide = std::min(block, used_ - of_b);
    for (Index top = 0; top < tall; top += strip) {
      const Index high = std::min(strip, tall - top), first = of_a + top;
      const double* values = compute(first, high, of_b, wide, worker);
      gemv_n(high, wide, 1.0, values, block, beta_.data() + of_b, 1.0, sums_.data() + first);
      gemv_t(high, wide, 1.0, values, block, beta_.data() + first, 1.0, sums_.data() + of_b);
    }
  }

  const KernelRows<double>& rows_;
  std::span<const double> beta_;
  Index used_;
  int threads_;
  StopToken& stop_;
  std::vector<double> sums_;
  std::vector<std::vector<double>> scratch_;
};

}  // namespace

void kernel_sums(const Table& table, std::span<const std::int32_t> members, const KernelFunction& kernel,
                 std::span<const double> coefficients, int threads, StopToken& stop,
                 std::span<double> scores) {
  std::vector<std::size_t> order;  // rows with a coefficient first
  std::vector<double> beta;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0.0) order.push_back(i), beta.push_back(coefficients[i]);
  }
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0.0) order.push_back(i);
  }
  std::fill(scores.begin(), scores.end(), 0.0);
  if (beta.empty()) return;
  std::vector<std::int32_t> reordered(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) reordered[k] = members[order[k]];
  const KernelRows<double> rows(table, reordered, kernel);
  Sums sums(rows, beta, threads, stop);
  sums.among_used();
  sums.of_the_rest();
  for (std::size_t k = 0; k < order.size(); ++k) scores[order[k]] = sums.values()[k];
}

}  // namespace certus::svm
