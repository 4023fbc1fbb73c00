#include "core/vector_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

constexpr std::ptrdiff_t lanes = 8;

// Eight running sums let the compiler use the widest registers without re-ordering any addition.
template <class T, class Term>
inline double sum_of(const T* a, const T* b, std::ptrdiff_t n, Term term) {
  double sums[lanes] = {};
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += term(static_cast<double>(a[i + lane]), static_cast<double>(b[i + lane]));
    }
  }
  for (std::ptrdiff_t lane = 0; i < n; ++i, ++lane) {
    sums[lane] += term(static_cast<double>(a[i]), static_cast<double>(b[i]));
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

struct Product {
  double operator()(double x, double y) const { return x * y; }
};
struct SquaredDifference {
  double operator()(double x, double y) const { return (x - y) * (x - y); }
};

template <class T>
double dot(const T* a, const T* b, std::ptrdiff_t n) {
  return sum_of(a, b, n, Product{});
}
template <class T>
double squared_distance(const T* a, const T* b, std::ptrdiff_t n) {
  return sum_of(a, b, n, SquaredDifference{});
}

}  // namespace

extern const VectorOps vector_ops_table;
const VectorOps vector_ops_table = {dot<float>, dot<double>, squared_distance<float>,
                                    squared_distance<double>};

}  // namespace certus::CERTUS_ISA
