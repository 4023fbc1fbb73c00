#include "linear/row_ops.hpp"
#include "core/exponential.isa.hpp"

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

void exp_negative(double* x, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) x[i] = exp_of(x[i]);
}

}  // namespace

extern const linear::RowOps machine_row_ops_table;
const linear::RowOps machine_row_ops_table = {dot<float, double>, dot<double, double>, square<float>,
                                              square<double>,     add<float>,          add<double>,
                                              exp_negative};

}  // namespace certus::CERTUS_ISA
