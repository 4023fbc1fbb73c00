#include "core/vector_ops.hpp"
#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

// Sixteen running sums keep the widest registers busy without re-ordering any addition; four serve short
// vectors and the rest, and one the last three terms. No sum is chosen by an index that varies at run time,
// which would send all of them through memory.
constexpr int wide = 16, narrow = 4;

template <class T, class U, class Term>
inline double sum_of(const T* a, const U* b, std::ptrdiff_t n, Term term) {
  double sums[narrow] = {}, last = 0.0;
  std::ptrdiff_t i = 0;
  if (n >= wide) {
    double wide_sums[wide];
    for (int lane = 0; lane < wide; ++lane) wide_sums[lane] = term(a[lane], b[lane]);
    for (i = wide; i + wide <= n; i += wide) {
      for (int lane = 0; lane < wide; ++lane) wide_sums[lane] += term(a[i + lane], b[i + lane]);
    }
    for (int lane = 0; lane < narrow; ++lane) {
      sums[lane] = (wide_sums[lane] + wide_sums[lane + 8]) + (wide_sums[lane + 4] + wide_sums[lane + 12]);
    }
  }
  for (; i + narrow <= n; i += narrow) {
    for (int lane = 0; lane < narrow; ++lane) sums[lane] += term(a[i + lane], b[i + lane]);
  }
  for (; i < n; ++i) last += term(a[i], b[i]);
  return ((sums[0] + sums[2]) + (sums[1] + sums[3])) + last;
}

struct Product {
  double operator()(double x, double y) const { return x * y; }
};
struct SquaredDifference {
  double operator()(double x, double y) const { return (x - y) * (x - y); }
};

template <class T, class U>
double dot(const T* a, const U* b, std::ptrdiff_t n) {
  return sum_of(a, b, n, Product{});
}
template <class T>
void add(double a, const T* __restrict x, double* __restrict b, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) b[i] += a * static_cast<double>(x[i]);
}
void exp_negative(double* x, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) x[i] = exp_of(x[i]);
}
template <class T>
double squared_distance(const T* a, const T* b, std::ptrdiff_t n) {
  return sum_of(a, b, n, SquaredDifference{});
}

}  // namespace

extern const VectorOps vector_ops_table;
const VectorOps vector_ops_table = {
    dot<float, float>, dot<double, double>,     dot<float, double>,       add<float>,
    add<double>,       squared_distance<float>, squared_distance<double>, exp_negative};

}  // namespace certus::CERTUS_ISA
