#include "online/advice_ops.hpp"

#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

constexpr std::ptrdiff_t lanes = 16;

inline double total(const double* lane) {
  double sum = 0.0;
  for (std::ptrdiff_t k = 0; k < lanes; ++k) sum += lane[k];
  return sum;
}

double exp_weights(const double* __restrict losses, double eta, double least, double* __restrict v,
                   std::ptrdiff_t n) {
  double sum[lanes] = {};
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::ptrdiff_t k = 0; k < lanes; ++k) {
      const double weight = exp_of(eta * (least - losses[i + k]));
      v[i + k] = weight;
      sum[k] += weight;
    }
  }
  for (; i < n; ++i) sum[0] += v[i] = exp_of(eta * (least - losses[i]));
  return total(sum);
}

online::PaidSums pay(const double* __restrict v, const double* __restrict l, double low,
                     double* __restrict losses, std::ptrdiff_t n) {
  double paid[lanes] = {}, squares[lanes] = {}, least[lanes];
  for (std::ptrdiff_t k = 0; k < lanes; ++k) least[k] = __builtin_inf();
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::ptrdiff_t k = 0; k < lanes; ++k) {
      const double lost = l[i + k], above = lost - low, after = losses[i + k] + lost;
      paid[k] += v[i + k] * lost;
      squares[k] += v[i + k] * (above * above);
      losses[i + k] = after;
      least[k] = after < least[k] ? after : least[k];
    }
  }
  for (; i < n; ++i) {
    const double lost = l[i], above = lost - low;
    paid[0] += v[i] * lost;
    squares[0] += v[i] * (above * above);
    losses[i] += lost;
    least[0] = losses[i] < least[0] ? losses[i] : least[0];
  }
  for (std::ptrdiff_t k = 1; k < lanes; ++k) least[0] = least[k] < least[0] ? least[k] : least[0];
  return {total(paid), total(squares), least[0]};
}

online::LossSums square_losses(const double* __restrict v, const double* __restrict x, double y, double eta,
                               double* __restrict losses, double* __restrict best, double* __restrict mixed,
                               std::ptrdiff_t n) {
  double mass[lanes] = {}, lost[lanes] = {};
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::ptrdiff_t k = 0; k < lanes; ++k) {
      const double loss = (y - x[i + k]) * (y - x[i + k]);
      const double left = v[i + k] * exp_of(-eta * loss);
      losses[i + k] += loss;
      best[i + k] += loss;
      mixed[i + k] = left;
      mass[k] += left;
      lost[k] += loss;
    }
  }
  for (; i < n; ++i) {
    const double loss = (y - x[i]) * (y - x[i]);
    mixed[i] = v[i] * exp_of(-eta * loss);
    losses[i] += loss;
    best[i] += loss;
    mass[0] += mixed[i];
    lost[0] += loss;
  }
  return {total(mass), total(lost)};
}

void affine(const double* __restrict m, double scale, double shift, double smallest, double* __restrict w,
            std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double weight = scale * m[i] + shift;
    w[i] = weight > smallest ? weight : smallest;
  }
}

}  // namespace

extern const online::AdviceOps advice_ops_table;
const online::AdviceOps advice_ops_table = {exp_weights, pay, square_losses, affine};

}  // namespace certus::CERTUS_ISA
