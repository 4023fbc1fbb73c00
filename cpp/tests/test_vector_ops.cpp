// Every instruction set that this machine can run, against sums in long double.
#include "core/vector_ops.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "core/finite.hpp"
#include "core/isa.hpp"
#include "core/rng.hpp"
#include "tests/check.hpp"

namespace certus {

namespace baseline {
extern const VectorOps vector_ops_table;
extern const FiniteOps finite_ops_table;
}  // namespace baseline
#if defined(CERTUS_X86_64)
namespace avx2 {
extern const VectorOps vector_ops_table;
extern const FiniteOps finite_ops_table;
}  // namespace avx2
namespace avx512 {
extern const VectorOps vector_ops_table;
extern const FiniteOps finite_ops_table;
}  // namespace avx512
#endif

namespace {

struct Tables {
  const VectorOps* vectors;
  const FiniteOps* finite;
};

std::vector<Tables> runnable() {
  std::vector<Tables> tables = {{&baseline::vector_ops_table, &baseline::finite_ops_table}};
#if defined(CERTUS_X86_64)
  if (active_isa() >= Isa::avx2) tables.push_back({&avx2::vector_ops_table, &avx2::finite_ops_table});
  if (active_isa() >= Isa::avx512) tables.push_back({&avx512::vector_ops_table, &avx512::finite_ops_table});
#endif
  return tables;
}

constexpr std::ptrdiff_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1023};

template <class T>
using Pair = double (*)(const T*, const T*, std::ptrdiff_t);

template <class T>
void check_sums(Pair<T> dot, Pair<T> squared_distance) {
  Rng rng(21);
  for (const std::ptrdiff_t length : lengths) {
    std::vector<T> a(static_cast<std::size_t>(length)),
        b(a.size());  // exact size: reading beyond it is a fault
    long double product = 0, magnitude = 0, square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<T>(rng.normal());
      b[i] = static_cast<T>(rng.normal());
      const long double x = a[i], y = b[i];
      product += x * y;
      magnitude += std::abs(x * y);
      square += (x - y) * (x - y);
    }
    const double unit = static_cast<double>(length + 2) * std::numeric_limits<double>::epsilon();
    CHECK_CLOSE(dot(a.data(), b.data(), length), static_cast<double>(product),
                unit * static_cast<double>(magnitude));
    CHECK_CLOSE(squared_distance(a.data(), b.data(), length), static_cast<double>(square),
                unit * static_cast<double>(square));
    CHECK_EQUAL(squared_distance(a.data(), a.data(), length), 0.0);
  }
}

template <class T>
void check_finite(bool (*all_finite)(const T*, std::ptrdiff_t, T)) {
  using Limits = std::numeric_limits<T>;
  for (const std::ptrdiff_t length : lengths) {
    std::vector<T> values(static_cast<std::size_t>(length), Limits::max());
    CHECK(all_finite(values.data(), length, T(1)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const T bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
        values[i] = bad;
        CHECK(!all_finite(values.data(), length, T(1)));
      }
      values[i] = -2;
      CHECK(all_finite(values.data() + i, 1, Limits::max() / 4));
      CHECK(!all_finite(values.data() + i, 1, Limits::max() / T(1.5)));
      values[i] = i % 2 == 0 ? Limits::denorm_min() : Limits::lowest();
      CHECK(all_finite(values.data(), length, T(1)));
    }
  }
}

}  // namespace

TEST(dot_and_distance_on_every_instruction_set) {
  for (const Tables& tables : runnable()) {
    check_sums<float>(tables.vectors->dot_f, tables.vectors->squared_distance_f);
    check_sums<double>(tables.vectors->dot_d, tables.vectors->squared_distance_d);
  }
}

TEST(all_finite_on_every_instruction_set) {
  for (const Tables& tables : runnable()) {
    check_finite<float>(tables.finite->all_finite_f);
    check_finite<double>(tables.finite->all_finite_d);
  }
}

TEST(the_chosen_table_is_the_one_of_the_active_set) {
#if defined(CERTUS_X86_64)
  const VectorOps* expected = active_isa() == Isa::avx512 ? &avx512::vector_ops_table
                              : active_isa() == Isa::avx2 ? &avx2::vector_ops_table
                                                          : &baseline::vector_ops_table;
  CHECK(&vector_ops() == expected);
#else
  CHECK(&vector_ops() == &baseline::vector_ops_table);
#endif
}

}  // namespace certus
