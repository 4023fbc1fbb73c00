#include "guarantees/capital.hpp"

namespace certus::CERTUS_ISA {
namespace {

constexpr std::ptrdiff_t lanes = capital_lanes;
constexpr std::ptrdiff_t look_every = 64;  // steps between two looks whether all lanes are decided

void betting(const double* x, const double* bets, std::ptrdiff_t n, const double* means, const double* caps,
             double target, unsigned char* reached) {
  double m[lanes], cap[lanes], capital[lanes], best[lanes];
  for (std::ptrdiff_t l = 0; l < lanes; ++l) {
    m[l] = means[l];
    cap[l] = caps[l];
    capital[l] = best[l] = 1.0;
  }
  for (std::ptrdiff_t first = 0; first < n; first += look_every) {
    const std::ptrdiff_t last = first + look_every < n ? first + look_every : n;
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const double loss = x[i], bet = bets[i];
      for (std::ptrdiff_t l = 0; l < lanes; ++l) {
        const double lambda = bet < cap[l] ? bet : cap[l];
        double k = capital[l] * (1.0 - lambda * (loss - m[l]));
        k = k < 1e-250 ? 0.0 : k;   // no denormal numbers
        k = k > 1e250 ? 1e250 : k;  // the target is far below
        best[l] = k > best[l] ? k : best[l];
        capital[l] = k;
      }
    }
    bool open = false;
    for (std::ptrdiff_t l = 0; l < lanes; ++l) open |= best[l] < target && capital[l] > 0.0;
    if (!open) break;
  }
  for (std::ptrdiff_t l = 0; l < lanes; ++l) reached[l] = best[l] >= target;
}

// Natural logarithm of a normal positive number, without branches so that it vectorizes:
// y = 2^e f with f in [sqrt(1/2), sqrt(2)), log f = 2 artanh(s), s = (f - 1)/(f + 1), |s| < 0.172, by its
// series.
inline double log_positive(double y) {
  unsigned long long bits;
  __builtin_memcpy(&bits, &y, sizeof bits);
  const unsigned long long shifted = bits - 0x3fe6a09e667f3bcdULL;  // sqrt(1/2)
  // The exponent as a double without a 64-bit conversion: add it to the mantissa of 1.5 * 2^52.
  unsigned long long biased = (shifted >> 52) ^ 0x800ULL;  // signed 12-bit exponent made unsigned
  biased |= 0x4330000000000000ULL;
  double exponent;
  __builtin_memcpy(&exponent, &biased, sizeof exponent);
  exponent -= 4503599627370496.0 + 2048.0;
  const unsigned long long mantissa = bits - (shifted & 0xfff0000000000000ULL);
  double f;
  __builtin_memcpy(&f, &mantissa, sizeof f);
  const double s = (f - 1.0) / (f + 1.0), z = s * s;
  double tail = 2.0 / 21.0;
  tail = tail * z + 2.0 / 19.0;
  tail = tail * z + 2.0 / 17.0;
  tail = tail * z + 2.0 / 15.0;
  tail = tail * z + 2.0 / 13.0;
  tail = tail * z + 2.0 / 11.0;
  tail = tail * z + 2.0 / 9.0;
  tail = tail * z + 2.0 / 7.0;
  tail = tail * z + 2.0 / 5.0;
  tail = tail * z + 2.0 / 3.0;
  return exponent * 0.693147180559945309417 + (2.0 * s + s * z * tail);
}

void star(const double* x, const double* aim, std::ptrdiff_t n, const double* means, const double* caps,
          double log_target, unsigned char* reached) {
  double m[lanes], cap[lanes], missing[lanes];  // missing = log_target - log K
  for (std::ptrdiff_t l = 0; l < lanes; ++l) {
    m[l] = means[l];
    cap[l] = caps[l];
    missing[l] = log_target;
  }
  for (std::ptrdiff_t first = 0; first < n; first += look_every) {
    const std::ptrdiff_t last = first + look_every < n ? first + look_every : n;
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const double loss = x[i], scale = aim[i];
      for (std::ptrdiff_t l = 0; l < lanes; ++l) {
        const double need = missing[l] > 0.0 ? missing[l] : 0.0;
        const double wish = __builtin_sqrt(need * scale);
        const double lambda = wish < cap[l] ? wish : cap[l];
        missing[l] -= log_positive(1.0 - lambda * (loss - m[l]));
      }
    }
    bool open = false;
    for (std::ptrdiff_t l = 0; l < lanes; ++l) open |= missing[l] > 0.0;
    if (!open) break;
  }
  for (std::ptrdiff_t l = 0; l < lanes; ++l) reached[l] = missing[l] <= 0.0;
}

}  // namespace

extern const CapitalOps capital_ops_table;
const CapitalOps capital_ops_table = {betting, star};

}  // namespace certus::CERTUS_ISA
