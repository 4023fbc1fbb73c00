#include "linear/row_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

constexpr int wide = 16, narrow = 4;

template <class T, class U>
double dot(const T* x, const U* w, std::ptrdiff_t n) {
  double sums[narrow] = {}, last = 0.0;
  std::ptrdiff_t i = 0;
  if (n >= wide) {
    double many[wide];
    for (int lane = 0; lane < wide; ++lane)
      many[lane] = static_cast<double>(x[lane]) * static_cast<double>(w[lane]);
    for (i = wide; i + wide <= n; i += wide) {
      for (int lane = 0; lane < wide; ++lane)
        many[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(w[i + lane]);
    }
    for (int lane = 0; lane < narrow; ++lane) {
      sums[lane] = (many[lane] + many[lane + 8]) + (many[lane + 4] + many[lane + 12]);
    }
  }
  for (; i + narrow <= n; i += narrow) {
    for (int lane = 0; lane < narrow; ++lane)
      sums[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(w[i + lane]);
  }
  for (; i < n; ++i) last += static_cast<double>(x[i]) * static_cast<double>(w[i]);
  return ((sums[0] + sums[2]) + (sums[1] + sums[3])) + last;
}

template <class T>
double square(const T* x, std::ptrdiff_t n) {
  return dot(x, x, n);
}

template <class T>
void add(double a, const T* __restrict x, double* __restrict w, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) w[i] += a * static_cast<double>(x[i]);
}

// To about one unit in the last place: x = k ln 2 + r with |r| <= ln 2 / 2, the Taylor polynomial of degree
// 12 in r, and k added to the exponent's bits.
inline double exp_of(double x) {
  constexpr double shift = 0x1.8p52;  // adding it leaves the nearest whole number in the low bits
  const double bounded = x < -707.0 ? -707.0 : x;
  const double shifted = bounded * 0x1.71547652b82fep0 + shift;
  const double k = shifted - shift;
  const double r = (bounded - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b39p-40;
  double sum = 1.0 / 479001600.0;
  constexpr double coefficients[] = {
      1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
      1.0 / 120.0,      1.0 / 24.0,      1.0 / 6.0,      0.5,           1.0,          1.0};
  for (const double coefficient : coefficients) sum = sum * r + coefficient;
  const auto bits =
      __builtin_bit_cast(unsigned long long, sum) + (__builtin_bit_cast(unsigned long long, shifted) << 52);
  return __builtin_bit_cast(double, bits);
}

void exp_negative(double* x, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) x[i] = exp_of(x[i]);
}

}  // namespace

extern const linear::RowOps machine_row_ops_table;
const linear::RowOps machine_row_ops_table = {dot<float, double>, dot<double, double>, square<float>,
                                              square<double>,     add<float>,          add<double>,
                                              exp_negative};

}  // namespace certus::CERTUS_ISA
