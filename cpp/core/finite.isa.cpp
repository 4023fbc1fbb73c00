#include "core/finite.hpp"

namespace certus::CERTUS_ISA {
namespace {

// x - x is 0 for a finite x and NaN for any other; a sum of zeros and NaNs is 0 only if all were finite.
template <class T>
bool all_finite(const T* values, std::ptrdiff_t n, T scale) {
  constexpr std::ptrdiff_t lanes = 16;
  T sums[lanes] = {};
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
      const T scaled = scale * values[i + lane];
      sums[lane] += scaled - scaled;
    }
  }
  for (; i < n; ++i) {
    const T scaled = scale * values[i];
    sums[0] += scaled - scaled;
  }
  T total = 0;
  for (const T sum : sums) total += sum;
  return total == T(0);
}

}  // namespace

extern const FiniteOps finite_ops_table;
const FiniteOps finite_ops_table = {all_finite<float>, all_finite<double>};

}  // namespace certus::CERTUS_ISA
