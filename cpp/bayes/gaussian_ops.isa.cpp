#include "bayes/gaussian_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

template <class T>
void update(const T* x, double w, double share, double* __restrict mean, double* __restrict m2,
            std::ptrdiff_t p) {
  for (std::ptrdiff_t j = 0; j < p; ++j) {
    const double before = static_cast<double>(x[j]) - mean[j];
    mean[j] += share * before;
    m2[j] += w * before * (static_cast<double>(x[j]) - mean[j]);
  }
}

template <class T>
double distance(const T* x, const double* mean, const double* precision, std::ptrdiff_t p) {
  constexpr std::ptrdiff_t lanes = 8;
  double sums[lanes] = {};
  std::ptrdiff_t j = 0;
  for (; j + lanes <= p; j += lanes) {
    for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
      const double d = static_cast<double>(x[j + lane]) - mean[j + lane];
      sums[lane] += d * d * precision[j + lane];
    }
  }
  for (std::ptrdiff_t lane = 0; j < p; ++j, ++lane) {
    const double d = static_cast<double>(x[j]) - mean[j];
    sums[lane] += d * d * precision[j];
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace

extern const GaussianOps gaussian_ops_table;
const GaussianOps gaussian_ops_table = {update<float>, update<double>, distance<float>, distance<double>};

}  // namespace certus::CERTUS_ISA
