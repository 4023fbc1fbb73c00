#include "bayes/count_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

std::ptrdiff_t look_up(const double* __restrict values, std::ptrdiff_t n, const double* __restrict table,
                       int size, double* __restrict out) {
  const double last = size - 1;
  std::ptrdiff_t known = 0;
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    const double value = values[j];
    const double inside = value >= 0 && value <= last ? value : 0.0;
    const int whole = static_cast<int>(inside);
    const bool found = static_cast<double>(whole) == value;
    known += found ? 1 : 0;
    out[j] = found ? table[whole] : 0.0;
  }
  return n - known;
}

}  // namespace

extern const CountOps count_ops_table;
const CountOps count_ops_table = {look_up};

}  // namespace certus::CERTUS_ISA
