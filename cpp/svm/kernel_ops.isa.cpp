#include "svm/kernel_ops.hpp"
#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using svm::KernelOps;
using svm::Partner;
using svm::SvmOps;
using svm::UpMost;
using Size = std::ptrdiff_t;

constexpr int lanes = 16;
constexpr double infinity = __builtin_inf();

template <class T>
void gaussian(T* products, const T* norms, T norm, Size n) {
  for (Size j = 0; j < n; ++j) {
    const T exponent = T(2) * products[j] - (norm + norms[j]);
    products[j] = exp_of(exponent > T(0) ? T(0) : exponent);
  }
}

template <class T>
void polynomial(T* products, T gamma, T coef0, int degree, Size n) {
  for (Size j = 0; j < n; ++j) products[j] = gamma * products[j] + coef0;
  if (degree == 0) {
    for (Size j = 0; j < n; ++j) products[j] = T(1);
  } else if (degree == 2) {
    for (Size j = 0; j < n; ++j) products[j] *= products[j];
  } else if (degree == 3) {
    for (Size j = 0; j < n; ++j) products[j] *= products[j] * products[j];
  } else if (degree > 3) {
    for (Size j = 0; j < n; ++j) {
      T base = products[j], power = T(1);
      for (int left = degree; left > 0; left >>= 1) {
        if (left & 1) power *= base;
        base *= base;
      }
      products[j] = power;
    }
  }
}

template <class T>
void sigmoid(T* products, T gamma, T coef0, Size n) {
  for (Size j = 0; j < n; ++j) {
    products[j] = static_cast<T>(__builtin_tanh(static_cast<double>(gamma * products[j] + coef0)));
  }
}

template <class T>
void add_rows(const T* const* rows, const double* coefficients, Size count, Size first, double* out, Size n) {
  Size r = 0;
  for (; r + 4 <= count; r += 4) {
    const T *a = rows[r] + first, *b = rows[r + 1] + first, *c = rows[r + 2] + first,
            *d = rows[r + 3] + first;
    const double ca = coefficients[r], cb = coefficients[r + 1], cc = coefficients[r + 2],
                 cd = coefficients[r + 3];
    for (Size j = 0; j < n; ++j) {
      out[j] += (ca * static_cast<double>(a[j]) + cb * static_cast<double>(b[j])) +
                (cc * static_cast<double>(c[j]) + cd * static_cast<double>(d[j]));
    }
  }
  for (; r < count; ++r) {
    const T* a = rows[r] + first;
    const double ca = coefficients[r];
    for (Size j = 0; j < n; ++j) out[j] += ca * static_cast<double>(a[j]);
  }
}

template <class T>
void move_pair(double* scores, const T* row_i, const T* row_k, double step, Size n) {
  for (Size j = 0; j < n; ++j) {
    scores[j] += step * (static_cast<double>(row_i[j]) - static_cast<double>(row_k[j]));
  }
}

// The largest value and its place: each lane keeps its own (the place as a double, so that both are blended
// alike); `value_at` is called once per position, in any order.
template <class ValueAt>
inline UpMost largest(ValueAt value_at, Size n) {
  double best[lanes], place[lanes];
  for (int lane = 0; lane < lanes; ++lane) best[lane] = -infinity, place[lane] = -1.0;
  Size j = 0;
  for (; j + lanes <= n; j += lanes) {
    for (int lane = 0; lane < lanes; ++lane) {
      const double value = value_at(j + lane);
      const bool better = value >= best[lane];
      place[lane] = better ? static_cast<double>(j) : place[lane];
      best[lane] = better ? value : best[lane];
    }
  }
  UpMost found{-infinity, -1};
  for (int lane = 0; lane < lanes; ++lane) {
    const Size position = static_cast<Size>(place[lane]) + lane;
    if (best[lane] > found.value ||
        (best[lane] == found.value && best[lane] > -infinity && position > found.position)) {
      found = {best[lane], position};
    }
  }
  for (; j < n; ++j) {
    const double value = value_at(j);
    if (value >= found.value && value > -infinity) found = {value, j};
  }
  return found;
}

UpMost find_up(const double* up, const double* scores, Size n) {
  return largest([=](Size j) { return up[j] - scores[j]; }, n);
}

template <class T>
UpMost move_pair_and_find_up(double* __restrict scores, const T* row_i, const T* row_k, double step,
                             const double* up, Size n) {
  return largest(
      [=](Size j) {
        scores[j] += step * (static_cast<double>(row_i[j]) - static_cast<double>(row_k[j]));
        return up[j] - scores[j];
      },
      n);
}

using Four = double __attribute__((vector_size(32), aligned(8), may_alias));

// Squares of 4 x 4 values in registers, the rest one by one.
void transpose(const double* from, Size rows, Size cols, double* to, Size stride) {
  const Size even_rows = rows - rows % 4, even_cols = cols - cols % 4;
  for (Size c = 0; c < even_cols; c += 4) {
    for (Size r = 0; r < even_rows; r += 4) {
      const double* in = from + r * stride + c;
      double* out = to + c * stride + r;
      const Four a = *reinterpret_cast<const Four*>(in), b = *reinterpret_cast<const Four*>(in + stride),
                 d = *reinterpret_cast<const Four*>(in + 2 * stride),
                 e = *reinterpret_cast<const Four*>(in + 3 * stride);
      const Four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                 ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
                 de_even = __builtin_shufflevector(d, e, 0, 4, 2, 6),
                 de_odd = __builtin_shufflevector(d, e, 1, 5, 3, 7);
      *reinterpret_cast<Four*>(out) = __builtin_shufflevector(ab_even, de_even, 0, 1, 4, 5);
      *reinterpret_cast<Four*>(out + stride) = __builtin_shufflevector(ab_odd, de_odd, 0, 1, 4, 5);
      *reinterpret_cast<Four*>(out + 2 * stride) = __builtin_shufflevector(ab_even, de_even, 2, 3, 6, 7);
      *reinterpret_cast<Four*>(out + 3 * stride) = __builtin_shufflevector(ab_odd, de_odd, 2, 3, 6, 7);
    }
    for (Size r = even_rows; r < rows; ++r) {
      for (int k = 0; k < 4; ++k) to[(c + k) * stride + r] = from[r * stride + c + k];
    }
  }
  for (Size c = even_cols; c < cols; ++c) {
    for (Size r = 0; r < rows; ++r) to[c * stride + r] = from[r * stride + c];
  }
}

template <class T>
Partner best_partner(const double* low, const double* scores, const double* diagonal, const T* row_i,
                     double k_ii, double v, double smallest_curvature, Size n) {
  double best[lanes], place[lanes], least[lanes];
  for (int lane = 0; lane < lanes; ++lane) best[lane] = 0.0, place[lane] = -1.0, least[lane] = infinity;
  Size j = 0;
  for (; j + lanes <= n; j += lanes) {
    for (int lane = 0; lane < lanes; ++lane) {
      const double value = low[j + lane] - scores[j + lane];
      least[lane] = value < least[lane] ? value : least[lane];
      const double raw = (k_ii + diagonal[j + lane]) - 2.0 * static_cast<double>(row_i[j + lane]);
      const double curvature = raw > smallest_curvature ? raw : smallest_curvature;
      double distance = v - value;
      distance = distance > 0.0 ? distance : 0.0;
      const double gain = distance * distance / curvature;
      const bool better = gain >= best[lane];
      place[lane] = better ? static_cast<double>(j) : place[lane];
      best[lane] = better ? gain : best[lane];
    }
  }
  Partner found{0.0, infinity, -1};
  for (int lane = 0; lane < lanes; ++lane) {
    found.lowest = least[lane] < found.lowest ? least[lane] : found.lowest;
    const Size position = static_cast<Size>(place[lane]) + lane;
    if (best[lane] > found.gain ||
        (best[lane] == found.gain && best[lane] > 0.0 && position > found.position)) {
      found.gain = best[lane], found.position = position;
    }
  }
  for (; j < n; ++j) {
    const double value = low[j] - scores[j];
    found.lowest = value < found.lowest ? value : found.lowest;
    const double raw = (k_ii + diagonal[j]) - 2.0 * static_cast<double>(row_i[j]);
    const double curvature = raw > smallest_curvature ? raw : smallest_curvature;
    const double distance = v - value;
    const double gain = distance > 0.0 ? distance * distance / curvature : 0.0;
    if (gain >= found.gain && gain > 0.0) found.gain = gain, found.position = j;
  }
  return found;
}

}  // namespace

extern const SvmOps svm_ops_table;
const SvmOps svm_ops_table = {{gaussian<float>, polynomial<float>, sigmoid<float>, add_rows<float>,
                               move_pair<float>, move_pair_and_find_up<float>, best_partner<float>},
                              {gaussian<double>, polynomial<double>, sigmoid<double>, add_rows<double>,
                               move_pair<double>, move_pair_and_find_up<double>, best_partner<double>},
                              find_up,
                              transpose};

}  // namespace certus::CERTUS_ISA
