// exp(x) for x <= 0, for the loops of *.isa.cpp files: a copy per file and instruction set (unnamed
// namespace), so that the compiler vectorizes it and the linker has nothing to choose from.
//
// x = k ln 2 + r with |r| <= ln 2 / 2, the Taylor polynomial in r, and k added to the exponent's bits: to
// about one unit in the last place. Below the clamp the result is as good as 0.
#pragma once

namespace certus::CERTUS_ISA {
namespace {

[[maybe_unused]] inline double exp_of(double x) {
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

[[maybe_unused]] inline float exp_of(float x) {
  constexpr float shift = 0x1.8p23F;
  const float bounded = x < -86.0F ? -86.0F : x;
  const float shifted = bounded * 0x1.715476p0F + shift;
  const float k = shifted - shift;
  const float r = (bounded - k * 0x1.62e4p-1F) - k * 0x1.7f7d1cp-20F;
  float sum = 1.0F / 5040.0F;
  constexpr float coefficients[] = {1.0F / 720.0F, 1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F,
                                    0.5F,          1.0F,          1.0F};
  for (const float coefficient : coefficients) sum = sum * r + coefficient;
  const unsigned int bits =
      __builtin_bit_cast(unsigned int, sum) + (__builtin_bit_cast(unsigned int, shifted) << 23);
  return __builtin_bit_cast(float, bits);
}

}  // namespace
}  // namespace certus::CERTUS_ISA
