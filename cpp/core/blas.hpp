// Dense linear algebra: a table of BLAS functions in the Fortran convention (column-major, arguments by
// pointer), filled from outside: by the bindings with what scipy.linalg.cython_blas exports, by the C++ tests
// with reference loops. Nothing is linked at build time.
//
// The wrappers below speak row-major: a row-major matrix is its column-major transpose.
#pragma once

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

// C (m x n) := alpha A (m x k) B' (n x k) + beta C, all row-major with the given row strides.
template <class T>
void gemm_nt(Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
             Index ldc) {
  char trans = 'T', plain = 'N';
  int mm = static_cast<int>(n), nn = static_cast<int>(m), kk = static_cast<int>(k);
  int ldaa = static_cast<int>(ldb), ldbb = static_cast<int>(lda), ldcc = static_cast<int>(ldc);
  blas<T>().gemm(&trans, &plain, &mm, &nn, &kk, &alpha, const_cast<T*>(b), &ldaa, const_cast<T*>(a), &ldbb,
                 &beta, c, &ldcc);
}

// C (m x n) := alpha A (m x k) B (k x n) + beta C, all row-major.
template <class T>
void gemm_nn(Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
             Index ldc) {
  char plain = 'N';
  int mm = static_cast<int>(n), nn = static_cast<int>(m), kk = static_cast<int>(k);
  int ldaa = static_cast<int>(ldb), ldbb = static_cast<int>(lda), ldcc = static_cast<int>(ldc);
  blas<T>().gemm(&plain, &plain, &mm, &nn, &kk, &alpha, const_cast<T*>(b), &ldaa, const_cast<T*>(a), &ldbb,
                 &beta, c, &ldcc);
}

// C (m x n) := alpha A' (k x m) B (k x n) + beta C, all row-major.
template <class T>
void gemm_tn(Index m, Index n, Index k, T alpha, const T* a, Index lda, const T* b, Index ldb, T beta, T* c,
             Index ldc) {
  char trans = 'T', plain = 'N';
  int mm = static_cast<int>(n), nn = static_cast<int>(m), kk = static_cast<int>(k);
  int ldaa = static_cast<int>(ldb), ldbb = static_cast<int>(lda), ldcc = static_cast<int>(ldc);
  blas<T>().gemm(&plain, &trans, &mm, &nn, &kk, &alpha, const_cast<T*>(b), &ldaa, const_cast<T*>(a), &ldbb,
                 &beta, c, &ldcc);
}

// Upper triangle (row-major) of C (n x n) := alpha A' A + beta C for a row-major A (k x n).
template <class T>
void syrk_tn(Index n, Index k, T alpha, const T* a, Index lda, T beta, T* c, Index ldc) {
  char uplo = 'L', plain = 'N';  // column-major lower = row-major upper
  int nn = static_cast<int>(n), kk = static_cast<int>(k), ldaa = static_cast<int>(lda),
      ldcc = static_cast<int>(ldc);
  blas<T>().syrk(&uplo, &plain, &nn, &kk, &alpha, const_cast<T*>(a), &ldaa, &beta, c, &ldcc);
}

// y (m) := alpha A (m x n) x + beta y for a row-major A.
template <class T>
void gemv_n(Index m, Index n, T alpha, const T* a, Index lda, const T* x, T beta, T* y) {
  char trans = 'T';
  int mm = static_cast<int>(n), nn = static_cast<int>(m), ldaa = static_cast<int>(lda), one = 1;
  blas<T>().gemv(&trans, &mm, &nn, &alpha, const_cast<T*>(a), &ldaa, const_cast<T*>(x), &one, &beta, y, &one);
}

// y (n) := alpha A' x + beta y for a row-major A (m x n).
template <class T>
void gemv_t(Index m, Index n, T alpha, const T* a, Index lda, const T* x, T beta, T* y) {
  char plain = 'N';
  int mm = static_cast<int>(n), nn = static_cast<int>(m), ldaa = static_cast<int>(lda), one = 1;
  blas<T>().gemv(&plain, &mm, &nn, &alpha, const_cast<T*>(a), &ldaa, const_cast<T*>(x), &one, &beta, y, &one);
}

}  // namespace certus
