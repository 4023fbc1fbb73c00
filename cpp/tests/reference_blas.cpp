// The Fortran convention, column by column, with the argument checks of the real library: a call that BLAS
// would refuse fails the test run.
#include "tests/reference_blas.hpp"

#include <stdexcept>

#include "core/blas.hpp"

namespace certus::testing {
namespace {

void require(bool legal) {
  if (!legal) throw std::invalid_argument("BLAS would refuse these arguments");
}

// Element (row, col) of op(A) for a column-major A.
template <class T>
T at(char op, const T* a, int lda, int row, int col) {
  return op == 'N' ? a[row + static_cast<Index>(col) * lda] : a[col + static_cast<Index>(row) * lda];
}

// value := alpha sum + beta value, where beta = 0 does not read value.
template <class T>
void blend(T& value, T alpha, T sum, T beta) {
  value = alpha * sum + (beta == T(0) ? T(0) : beta * value);
}

template <class T>
void gemm(char* transa, char* transb, int* m, int* n, int* k, T* alpha, T* a, int* lda, T* b, int* ldb,
          T* beta, T* c, int* ldc) {
  require(*lda >= std::max(1, *transa == 'N' ? *m : *k));
  require(*ldb >= std::max(1, *transb == 'N' ? *k : *n));
  require(*ldc >= std::max(1, *m));
  for (int col = 0; col < *n; ++col) {
    for (int row = 0; row < *m; ++row) {
      T sum = 0;
      for (int i = 0; i < *k; ++i) sum += at(*transa, a, *lda, row, i) * at(*transb, b, *ldb, i, col);
      blend(c[row + static_cast<Index>(col) * *ldc], *alpha, sum, *beta);
    }
  }
}

template <class T>
void syrk(char* uplo, char* trans, int* n, int* k, T* alpha, T* a, int* lda, T* beta, T* c, int* ldc) {
  require(*lda >= std::max(1, *trans == 'N' ? *n : *k));
  require(*ldc >= std::max(1, *n));
  for (int col = 0; col < *n; ++col) {
    const int first = *uplo == 'L' ? col : 0, last = *uplo == 'L' ? *n : col + 1;
    for (int row = first; row < last; ++row) {
      T sum = 0;
      for (int i = 0; i < *k; ++i) sum += at(*trans, a, *lda, row, i) * at(*trans, a, *lda, col, i);
      blend(c[row + static_cast<Index>(col) * *ldc], *alpha, sum, *beta);
    }
  }
}

template <class T>
void gemv(char* trans, int* m, int* n, T* alpha, T* a, int* lda, T* x, int* incx, T* beta, T* y, int* incy) {
  require(*lda >= std::max(1, *m));
  require(*incx != 0 && *incy != 0);
  if (*m == 0 || *n == 0) return;  // as the real one: y is not even scaled
  const int length = *trans == 'N' ? *m : *n, terms = *trans == 'N' ? *n : *m;
  for (int row = 0; row < length; ++row) {
    T sum = 0;
    for (int i = 0; i < terms; ++i) sum += at(*trans, a, *lda, row, i) * x[static_cast<Index>(i) * *incx];
    // Deliberately the unkind reading of the standard: beta = 0 multiplies.
    T& value = y[static_cast<Index>(row) * *incy];
    value = *alpha * sum + *beta * value;
  }
}

template <class T>
void fill() {
  blas<T>().gemm = &gemm<T>;
  blas<T>().syrk = &syrk<T>;
  blas<T>().gemv = &gemv<T>;
}

}  // namespace

void fill_blas_with_reference() {
  fill<float>();
  fill<double>();
}

}  // namespace certus::testing
