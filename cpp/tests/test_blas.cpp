#include <limits>
#include <vector>

#include "core/blas.hpp"
#include "core/rng.hpp"
#include "tests/check.hpp"

namespace certus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A row-major matrix with padding behind each row, filled with normal numbers.
template <class T>
struct Padded {
  Padded(Index rows_, Index cols_, std::uint64_t seed) : rows(rows_), cols(cols_), stride(cols_ + 3) {
    Rng rng(seed);
    values.resize(static_cast<std::size_t>(rows * stride));
    for (T& value : values) value = static_cast<T>(rng.normal());
  }
  T operator()(Index row, Index col) const { return values[static_cast<std::size_t>(row * stride + col)]; }
  Index rows, cols, stride;
  std::vector<T> values;
};

template <class T>
T tolerance() {
  return 200 * std::numeric_limits<T>::epsilon();
}

enum class Shape { nt, nn, tn };

template <class T>
void check_gemm(Shape shape, Index m, Index n, Index k) {
  const bool a_transposed = shape == Shape::tn, b_transposed = shape == Shape::nt;
  const Padded<T> a(a_transposed ? k : m, a_transposed ? m : k, 1),
      b(b_transposed ? n : k, b_transposed ? k : n, 2);
  const Padded<T> before(m, n, 3);
  Padded<T> c = before;
  const T alpha = T(1.5), beta = T(-0.5);
  const auto call = shape == Shape::nt ? &gemm_nt<T> : shape == Shape::nn ? &gemm_nn<T> : &gemm_tn<T>;
  call(m, n, k, alpha, a.values.data(), a.stride, b.values.data(), b.stride, beta, c.values.data(), c.stride);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c.stride; ++j) {
      if (j >= n) {
        CHECK_EQUAL(c(i, j), before(i, j));  // the padding is not ours
        continue;
      }
      T sum = 0;
      for (Index l = 0; l < k; ++l)
        sum += (a_transposed ? a(l, i) : a(i, l)) * (b_transposed ? b(j, l) : b(l, j));
      CHECK_CLOSE(c(i, j), alpha * sum + beta * before(i, j), tolerance<T>());
    }
  }
}

template <class T>
void check_all_gemm() {
  for (const Shape shape : {Shape::nt, Shape::nn, Shape::tn}) {
    check_gemm<T>(shape, 5, 3, 4);
    check_gemm<T>(shape, 1, 7, 2);
    check_gemm<T>(shape, 4, 1, 1);
    check_gemm<T>(shape, 3, 2, 0);
    check_gemm<T>(shape, 0, 2, 3);
  }
}

template <class T>
void check_syrk(Index n, Index k) {
  const Padded<T> a(k, n, 4), before(n, n, 5);
  Padded<T> c = before;
  syrk_tn(n, k, T(2), a.values.data(), a.stride, T(1), c.values.data(), c.stride);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      T sum = before(i, j);
      for (Index l = 0; j >= i && l < k; ++l) sum += 2 * a(l, i) * a(l, j);
      CHECK_CLOSE(c(i, j), sum, tolerance<T>());  // below the diagonal: as it was
    }
  }
}

template <class T>
void check_gemv(Index m, Index n, T beta) {
  const Padded<T> a(m, n, 6);
  const std::vector<T> x(static_cast<std::size_t>(std::max(m, n)), T(0.25));
  std::vector<T> rows(static_cast<std::size_t>(m), beta == 0 ? T(nan) : T(2));
  std::vector<T> cols(static_cast<std::size_t>(n), beta == 0 ? T(nan) : T(2));
  gemv_n(m, n, T(3), a.values.data(), a.stride, x.data(), beta, rows.data());
  gemv_t(m, n, T(3), a.values.data(), a.stride, x.data(), beta, cols.data());
  for (Index i = 0; i < m; ++i) {
    T sum = 0;
    for (Index j = 0; j < n; ++j) sum += a(i, j) * T(0.25);
    CHECK_CLOSE(rows[static_cast<std::size_t>(i)], 3 * sum + 2 * beta, tolerance<T>());
  }
  for (Index j = 0; j < n; ++j) {
    T sum = 0;
    for (Index i = 0; i < m; ++i) sum += a(i, j) * T(0.25);
    CHECK_CLOSE(cols[static_cast<std::size_t>(j)], 3 * sum + 2 * beta, tolerance<T>());
  }
}

}  // namespace

TEST(gemm_in_float) { check_all_gemm<float>(); }
TEST(gemm_in_double) { check_all_gemm<double>(); }

TEST(syrk_fills_the_upper_triangle) {
  check_syrk<float>(4, 9);
  check_syrk<double>(6, 2);
  check_syrk<double>(3, 0);
  check_syrk<double>(0, 3);
}

TEST(gemv_both_ways) {
  for (const double beta : {0.0, 1.0, -0.5}) {
    check_gemv<double>(5, 3, beta);
    check_gemv<float>(2, 8, static_cast<float>(beta));
    check_gemv<double>(4, 0, beta);  // the empty sum is beta y
    check_gemv<double>(0, 4, beta);
  }
}

TEST(a_single_row_may_have_any_stride) {
  const double a[] = {1, 2, 3}, b[] = {4, 5, 6};
  double c = nan;
  gemm_nt<double>(1, 1, 3, 1.0, a, 0, b, -7, 0.0, &c, 0);
  CHECK_EQUAL(c, 32.0);
}

TEST(blas_refuses_what_does_not_fit) {
  double value = 0;
  CHECK_THROWS(gemv_n<double>(Index{1} << 31, 1, 1.0, &value, 1, &value, 1.0, &value), std::length_error,
               "32-bit");
  CHECK_THROWS(gemm_nt<double>(2, 2, 3, 1.0, &value, 2, &value, 3, 0.0, &value, 2), std::length_error,
               "overlap");
}

}  // namespace certus
