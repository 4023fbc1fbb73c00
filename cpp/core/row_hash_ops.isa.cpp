#include "core/row_hash_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

template <class T>
std::uint64_t bits_of(T value) {
  constexpr std::uint32_t one_nan = 0x7fc00000U;
  const float single = static_cast<float>(value);
  const auto bits = __builtin_bit_cast(std::uint32_t, single + 0.0F);  // -0 + 0 is 0
  return single == single ? bits : one_nan;
}

std::uint64_t spread(std::uint64_t z) {
  z = (z ^ (z >> 32)) * 0xbf58476d1ce4e5b9ULL;
  return (z ^ (z >> 29)) * 0x94d049bb133111ebULL;
}

template <class T>
std::uint64_t row(const T* values, const std::uint64_t* keys, std::ptrdiff_t n) {
  std::uint64_t sum = 0;
  for (std::ptrdiff_t j = 0; j < n; ++j) sum += spread(keys[j] + bits_of(values[j]));
  return sum;
}

template <class T>
void column(const T* values, std::ptrdiff_t stride, std::uint64_t key, std::ptrdiff_t n,
            std::uint64_t* sums) {
  if (stride == 1) {
    for (std::ptrdiff_t i = 0; i < n; ++i) sums[i] += spread(key + bits_of(values[i]));
  } else {
    for (std::ptrdiff_t i = 0; i < n; ++i) sums[i] += spread(key + bits_of(values[i * stride]));
  }
}

template <class T, class I>
std::uint64_t sparse(const T* values, const I* columns, const std::uint64_t* keys, std::ptrdiff_t n) {
  std::uint64_t sum = 0;
  for (std::ptrdiff_t at = 0; at < n; ++at) {
    const std::uint64_t key = keys[columns[at]];
    sum += spread(key + bits_of(values[at])) - spread(key);
  }
  return sum;
}

std::uint64_t zeros(const std::uint64_t* keys, std::ptrdiff_t n) {
  std::uint64_t sum = 0;
  for (std::ptrdiff_t j = 0; j < n; ++j) sum += spread(keys[j]);
  return sum;
}

}  // namespace

extern const RowHashOps row_hash_ops_table;
const RowHashOps row_hash_ops_table = {row<float>,
                                       row<double>,
                                       column<float>,
                                       column<double>,
                                       sparse<float, std::int32_t>,
                                       sparse<double, std::int32_t>,
                                       sparse<float, std::int64_t>,
                                       sparse<double, std::int64_t>,
                                       zeros};

}  // namespace certus::CERTUS_ISA
