// Inner loops of kernel rows and of pairwise optimization, one version per instruction set (core/isa.hpp).
#pragma once

#include <cstddef>

namespace certus::svm {

// What the search for the second variable of a pair found.
struct Partner {
  double gain = 0.0;    // (v_i - v_j)^2 / curvature, the largest; 0 if there is none
  double lowest = 0.0;  // the smallest v_j
  std::ptrdiff_t position = -1;
};

struct UpMost {
  double value = 0.0;
  std::ptrdiff_t position = -1;
};

template <class T>
struct KernelOps {
  // products[j] := exp(-max(0, norm + norms[j] - 2 products[j])): Gaussian kernel of rows scaled by
  // sqrt(gamma)
  void (*gaussian)(T* products, const T* norms, T norm, std::ptrdiff_t n);
  // products[j] := (gamma products[j] + coef0)^degree
  void (*polynomial)(T* products, T gamma, T coef0, int degree, std::ptrdiff_t n);
  // products[j] := tanh(gamma products[j] + coef0)
  void (*sigmoid)(T* products, T gamma, T coef0, std::ptrdiff_t n);
  // out[j] += sum_r coefficients[r] rows[r][j], summed in double
  void (*add_rows)(const T* const* rows, const double* coefficients, std::ptrdiff_t count,
                   std::ptrdiff_t first, double* out, std::ptrdiff_t n);
  // scores[j] += step (row_i[j] - row_k[j])
  void (*move_pair)(double* scores, const T* row_i, const T* row_k, double step, std::ptrdiff_t n);
  // The same, and then the largest up[j] - scores[j], last of equals.
  UpMost (*move_pair_and_find_up)(double* scores, const T* row_i, const T* row_k, double step,
                                  const double* up, std::ptrdiff_t n);
  // Second-order choice of a partner among v_j = low[j] - scores[j] < v: the largest
  // (v - v_j)^2 / max(smallest_curvature, k_ii + diagonal[j] - 2 row_i[j]).
  Partner (*best_partner)(const double* low, const double* scores, const double* diagonal, const T* row_i,
                          double k_ii, double v, double smallest_curvature, std::ptrdiff_t n);
};

// The largest up[j] - scores[j], last of equals (as LIBSVM does, so that equal step counts mean the same).
using FindUp = UpMost (*)(const double* up, const double* scores, std::ptrdiff_t n);
// to(c, r) := from(r, c); both have rows `stride` apart.
using Transpose = void (*)(const double* from, std::ptrdiff_t rows, std::ptrdiff_t cols, double* to,
                           std::ptrdiff_t stride);

struct SvmOps {
  KernelOps<float> single;
  KernelOps<double> precise;
  FindUp find_up;
  Transpose transpose;
};

template <class T>
const KernelOps<T>& kernel_ops() noexcept;
template <>
const KernelOps<float>& kernel_ops<float>() noexcept;
template <>
const KernelOps<double>& kernel_ops<double>() noexcept;

}  // namespace certus::svm

namespace certus {
const svm::SvmOps& svm_ops() noexcept;
}
