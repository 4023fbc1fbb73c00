// Dense linear algebra: a table of BLAS functions in the Fortran convention (column-major, arguments by
// pointer), filled from outside: by the bindings with what scipy.linalg.cython_blas exports, by the C++ tests
// with reference loops. Nothing is linked at build time.
//
// The wrappers below speak row-major: a row-major matrix is its column-major transpose. They allow what BLAS
// itself does not: dimensions of zero, any row stride where there is at most one row, and with beta = 0 an
// output that holds NaN.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/view2d.hpp"

namespace certus {

template <class T>
struct BlasFunctions {
  // C := alpha op(A) op(B) + beta C
  void (*gemm)(char* transa, char* transb, int* m, int* n, int* k, T* alpha, T* a, int* lda, T* b, int* ldb,
               T* beta, T* c, int* ldc) = nullptr;
  // C := alpha A A' + beta C (one triangle)
  void (*syrk)(char* uplo, char* trans, int* n, int* k, T* alpha, T* a, int* lda, T* beta, T* c,
               int* ldc) = nullptr;
  // y := alpha op(A) x + beta y
  void (*gemv)(char* trans, int* m, int* n, T* alpha, T* a, int* lda, T* x, int* incx, T* beta, T* y,
               int* incy) = nullptr;
};

template <class T>
BlasFunctions<T>& blas() noexcept;
template <>
BlasFunctions<float>& blas<float>() noexcept;
template <>
BlasFunctions<double>& blas<double>() noexcept;

// BLAS counts in int.
inline int blas_int(Index value) {
  if (value < 0 || value > std::numeric_limits<int>::max()) {
    throw std::length_error("A matrix dimension or stride does not fit into BLAS's 32-bit integers.");
  }
  return static_cast<int>(value);
}

// The leading dimension of a row-major matrix: at least its width, at least 1.
inline int leading(Index rows, Index cols, Index stride) {
  if (rows <= 1) return blas_int(std::max<Index>(cols, 1));
  if (stride < cols) throw std::length_error("The rows of a matrix that is handed to BLAS overlap.");
  return blas_int(std::max<Index>(stride, 1));
}

// C (m x n) := alpha op(A) op(B) + beta C, all row-major; op is 'N' (as it is) or 'T' (transposed), and the
// sum runs over k terms.
template <class T>
void gemm_row_major(char op_a, char op_b, Index m, Index n, Index k, T alpha, const T* a, Index lda,
                    const T* b, Index ldb, T beta, T* c, Index ldc) {
  if (m == 0 || n == 0) return;
  int rows = blas_int(n), cols = blas_int(m), inner = blas_int(k), stride_c = leading(m, n, ldc);
  int stride_a = op_a == 'N' ? leading(m, k, lda) : leading(k, m, lda);
  int stride_b = op_b == 'N' ? leading(k, n, ldb) : leading(n, k, ldb);
  blas<T>().gemm(&op_b, &op_a, &rows, &cols, &inner, &alpha, const_cast<T*>(b), &stride_b, const_cast<T*>(a),
                 &stride_a, &beta, c, &stride_c);
}

// C (m x n) := alpha A (m x k) B' (n x k) + beta C, all row-major with the given row strides.
template <class T>
void gemm_nt(Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
             Index ldc) {
  gemm_row_major('N', 'T', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// C (m x n) := alpha A (m x k) B (k x n) + beta C, all row-major.
template <class T>
void gemm_nn(Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
             Index ldc) {
  gemm_row_major('N', 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// C (m x n) := alpha A' (k x m) B (k x n) + beta C, all row-major.
template <class T>
void gemm_tn(Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
             Index ldc) {
  gemm_row_major('T', 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// Upper triangle (row-major) of C (n x n) := alpha A' A + beta C for a row-major A (k x n).
template <class T>
void syrk_tn(Index n, Index k, T alpha, const T* a, Index lda, T beta, T* c, Index ldc) {
  if (n == 0) return;
  char uplo = 'L', plain = 'N';  // column-major lower = row-major upper
  int size = blas_int(n), inner = blas_int(k), stride_a = leading(k, n, lda), stride_c = leading(n, n, ldc);
  blas<T>().syrk(&uplo, &plain, &size, &inner, &alpha, const_cast<T*>(a), &stride_a, &beta, c, &stride_c);
}

// y := alpha op(A) x + beta y for a row-major A (m x n), where op is named in BLAS's column-major way.
template <class T>
void gemv_row_major(char op, Index m, Index n, T alpha, const T* a, Index lda, const T* x, T beta, T* y,
                    Index length) {
  if (beta == T(0)) {
    std::fill_n(y, length, T(0));  // some libraries multiply by beta, and 0 * NaN stays
  } else if (m == 0 || n == 0) {   // BLAS leaves y as it is
    std::for_each_n(y, length, [beta](T& value) { value *= beta; });
  }
  if (m == 0 || n == 0) return;
  int rows = blas_int(n), cols = blas_int(m), stride = leading(m, n, lda), one = 1;
  blas<T>().gemv(&op, &rows, &cols, &alpha, const_cast<T*>(a), &stride, const_cast<T*>(x), &one, &beta, y,
                 &one);
}

// y (m) := alpha A (m x n) x + beta y for a row-major A.
template <class T>
void gemv_n(Index m, Index n, T alpha, const T* a, Index lda, const T* x, T beta, T* y) {
  gemv_row_major('T', m, n, alpha, a, lda, x, beta, y, m);
}

// y (n) := alpha A' x + beta y for a row-major A (m x n).
template <class T>
void gemv_t(Index m, Index n, T alpha, const T* a, Index lda, const T* x, T beta, T* y) {
  gemv_row_major('N', m, n, alpha, a, lda, x, beta, y, n);
}

}  // namespace certus
