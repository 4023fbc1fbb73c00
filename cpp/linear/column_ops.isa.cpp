#include "linear/column_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

constexpr int lanes = 16;  // running sums: enough to keep the widest registers busy

template <class T>
double dot(const T* x, const double* v, std::ptrdiff_t n) {
  double sums[lanes] = {}, rest = 0.0;
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] += static_cast<double>(x[i + lane]) * v[i + lane];
  }
  for (; i < n; ++i) rest += static_cast<double>(x[i]) * v[i];
  for (int width = lanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
  }
  return sums[0] + rest;
}

template <class T>
void add(double a, const T* x, double* v, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) v[i] += a * static_cast<double>(x[i]);
}

}  // namespace

extern const ColumnOps column_ops_table;
const ColumnOps column_ops_table = {dot<float>, dot<double>, add<float>, add<double>};

}  // namespace certus::CERTUS_ISA
