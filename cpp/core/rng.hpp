// Random numbers of our own, the same on every platform. A generator is named by (seed, stream): streams of
// one seed are independent, so that block i of a parallel loop uses Rng(seed, i) whatever thread runs it.
//
// xoshiro256++ 1.0 (Blackman, Vigna 2019), state filled by SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <utility>

namespace certus {

inline std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

struct Product128 {
  std::uint64_t high, low;
};

// The 128 bits of a * b out of four 64-bit products, for compilers without a 128-bit type.
inline Product128 multiply_by_halves(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t half = 0xffffffffULL;
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t cross = (a >> 32) * (b & half) + (low >> 32);
  const std::uint64_t other = (a & half) * (b >> 32) + (cross & half);
  return {(a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32), a * b};
}

inline Product128 multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#else
  return multiply_by_halves(a, b);
#endif
}

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t mixed = seed;
    mixed = splitmix64(mixed) ^ (stream * 0xd1342543de82ef95ULL + 0x632be59bd9b4e019ULL);
    for (auto& word : state_) word = splitmix64(mixed);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  // Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform on 0 .. bound-1 without bias: the high half of draw * bound, where draws that fall into the
  // incomplete last range are rejected (Lemire 2019, algorithm 5).
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    Product128 product = multiply(next(), bound);
    if (product.low < bound) {
      const std::uint64_t reject_under = (0 - bound) % bound;  // 2^64 mod bound
      while (product.low < reject_under) product = multiply(next(), bound);
    }
    return product.high;
  }

  // Standard normal by the polar method (Marsaglia, Bray 1964).
  double normal() {
    for (;;) {
      const double u = 2.0 * uniform() - 1.0;
      const double v = 2.0 * uniform() - 1.0;
      const double s = u * u + v * v;
      if (s > 0.0 && s < 1.0) return u * std::sqrt(-2.0 * std::log(s) / s);
    }
  }

  template <class Iterator>
  void shuffle(Iterator first, Iterator last) {
    for (auto count = static_cast<std::uint64_t>(last - first); count > 1; --count) {
      using std::swap;
      swap(first[count - 1], first[below(count)]);
    }
  }

  // A generator for a sub-task, independent of this one's future draws.
  Rng split() {
    const std::uint64_t seed = next();
    return Rng(seed, next());
  }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t state_[4];
};

}  // namespace certus
