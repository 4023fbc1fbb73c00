#include "neural/network_ops.hpp"

#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using neural::Activation;
using neural::Solver;
using neural::Sweep;

constexpr double selu_scale = 1.0507009873554804934, selu_alpha = 1.6732632423543772848;
constexpr double root_half = 0.70710678118654752440, density_at_zero = 0.39894228040143267794;

inline float root(float x) { return __builtin_sqrtf(x); }
inline double root(double x) { return __builtin_sqrt(x); }
inline float error_function(float x) { return __builtin_erff(x); }
inline double error_function(double x) { return __builtin_erf(x); }
template <class T>
inline T size_of(T x) {
  return x < T(0) ? -x : x;
}
template <class T>
inline T sigmoid(T z) {
  const T small = exp_of(-size_of(z)), below = small / (T(1) + small);
  return z < T(0) ? below : T(1) - below;
}
// log(1 + x) for x in [0, 1], put right by what rounding the sum took.
inline float log_of_one_and(float x) { return __builtin_log1pf(x); }
inline double log_of_one_and(double x) { return __builtin_log1p(x); }

// One struct per activation: value and derivative at z, and the derivative from the value where that is
// enough.
template <class T>
struct Identity {
  static T value(T z) { return z; }
  static T slope(T, T) { return T(1); }
  static T from_value(T) { return T(1); }
};
template <class T>
struct Logistic {
  static T value(T z) { return sigmoid(z); }
  static T slope(T, T a) { return a * (T(1) - a); }
  static T from_value(T a) { return a * (T(1) - a); }
};
template <class T>
struct Tanh {
  static T value(T z) {
    const T size = size_of(z), small = exp_of(T(-2) * size), far = (T(1) - small) / (T(1) + small);
    const T square = size * size;
    const T near =
        size * (T(1) - square * (T(1.0 / 3.0) - square * (T(2.0 / 15.0) - square * T(17.0 / 315.0))));
    const T found = size < T(0.02) ? near : far;
    return z < T(0) ? -found : found;
  }
  static T slope(T, T a) { return T(1) - a * a; }
  static T from_value(T a) { return T(1) - a * a; }
};
template <class T>
struct Relu {
  static T value(T z) { return z > T(0) ? z : (z == z ? T(0) : z); }  // NaN stays NaN
  static T slope(T z, T) { return z > T(0) ? T(1) : T(0); }
  static T from_value(T a) { return a > T(0) ? T(1) : T(0); }
};
template <class T>
struct LeakyRelu {
  static T value(T z) { return z < T(0) ? T(0.01) * z : z; }
  static T slope(T z, T) { return z > T(0) ? T(1) : T(0.01); }
  static T from_value(T a) { return a > T(0) ? T(1) : T(0.01); }
};
template <class T>
struct Selu {
  static T value(T z) {
    const T below = T(selu_scale * selu_alpha) * (exp_of(z < T(0) ? z : T(0)) - T(1));
    return z < T(0) ? below : T(selu_scale) * z;
  }
  static T slope(T z, T a) { return z > T(0) ? T(selu_scale) : a + T(selu_scale * selu_alpha); }
  static T from_value(T a) { return slope(a, a); }
};
template <class T>
struct Softplus {
  static T value(T z) { return (z > T(0) ? z : T(0)) + log_of_one_and(exp_of(-size_of(z))); }
  static T slope(T z, T) { return sigmoid(z); }
  static T from_value(T a) { return T(1) - exp_of(-a); }
};
template <class T>
struct Gelu {
  static T below(T z) { return T(0.5) * (T(1) + error_function(z * T(root_half))); }
  static T value(T z) { return z * below(z); }
  static T slope(T z, T) { return below(z) + z * T(density_at_zero) * exp_of(T(-0.5) * z * z); }
};
template <class T>
struct Silu {
  static T value(T z) { return z * sigmoid(z); }
  static T slope(T z, T a) {
    const T share = sigmoid(z);
    return share + a * (T(1) - share);
  }
};
template <class T>
struct Mish {
  // tanh(log(1 + e^z)) = ((1 + e^z)^2 - 1) / ((1 + e^z)^2 + 1)
  static T factor(T z) {
    const T e = exp_of(-size_of(z));
    return z < T(0) ? e * (e + T(2)) / (e * (e + T(2)) + T(2))
                    : (T(1) + T(2) * e) / (T(1) + T(2) * e + T(2) * e * e);
  }
  static T value(T z) { return z * factor(z); }
  static T slope(T z, T) {
    const T share = factor(z);
    return share + z * sigmoid(z) * (T(1) - share * share);
  }
};

template <class T, class Unit>
void activate_by(T* __restrict z, const T* __restrict bias, T* __restrict slope, std::ptrdiff_t rows,
                 std::ptrdiff_t cols) {
  for (std::ptrdiff_t i = 0; i < rows; ++i, z += cols) {
    if (slope == nullptr) {
      for (std::ptrdiff_t j = 0; j < cols; ++j) z[j] = Unit::value(z[j] + bias[j]);
    } else {
      for (std::ptrdiff_t j = 0; j < cols; ++j) {
        const T at = z[j] + bias[j], value = Unit::value(at);
        z[j] = value;
        slope[j] = Unit::slope(at, value);
      }
      slope += cols;
    }
  }
}
template <class T, class Unit>
void chain_by(const T* __restrict out, T* __restrict delta, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) delta[i] *= Unit::from_value(out[i]);
}
template <class T>
void multiply(const T* __restrict x, T* __restrict y, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) y[i] *= x[i];
}

template <class T>
void activate(Activation kind, T* z, const T* bias, T* slope, std::ptrdiff_t rows, std::ptrdiff_t cols) {
  switch (kind) {
    case Activation::identity:
      return activate_by<T, Identity<T>>(z, bias, slope, rows, cols);
    case Activation::logistic:
      return activate_by<T, Logistic<T>>(z, bias, slope, rows, cols);
    case Activation::tanh:
      return activate_by<T, Tanh<T>>(z, bias, slope, rows, cols);
    case Activation::relu:
      return activate_by<T, Relu<T>>(z, bias, slope, rows, cols);
    case Activation::leaky_relu:
      return activate_by<T, LeakyRelu<T>>(z, bias, slope, rows, cols);
    case Activation::selu:
      return activate_by<T, Selu<T>>(z, bias, slope, rows, cols);
    case Activation::softplus:
      return activate_by<T, Softplus<T>>(z, bias, slope, rows, cols);
    case Activation::gelu:
      return activate_by<T, Gelu<T>>(z, bias, slope, rows, cols);
    case Activation::silu:
      return activate_by<T, Silu<T>>(z, bias, slope, rows, cols);
    case Activation::mish:
      return activate_by<T, Mish<T>>(z, bias, slope, rows, cols);
  }
}

template <class T>
void chain(Activation kind, const T* out, const T* slope, T* delta, std::ptrdiff_t n) {
  if (slope != nullptr) return multiply(slope, delta, n);
  switch (kind) {
    case Activation::logistic:
      return chain_by<T, Logistic<T>>(out, delta, n);
    case Activation::tanh:
      return chain_by<T, Tanh<T>>(out, delta, n);
    case Activation::relu:
      return chain_by<T, Relu<T>>(out, delta, n);
    case Activation::leaky_relu:
      return chain_by<T, LeakyRelu<T>>(out, delta, n);
    case Activation::selu:
      return chain_by<T, Selu<T>>(out, delta, n);
    case Activation::softplus:
      return chain_by<T, Softplus<T>>(out, delta, n);
    default:
      return;  // the identity; the others have stored slopes
  }
}

template <class T>
void add_columns(const T* __restrict x, std::ptrdiff_t rows, std::ptrdiff_t cols, T* __restrict sums) {
  for (std::ptrdiff_t i = 0; i < rows; ++i, x += cols) {
    for (std::ptrdiff_t j = 0; j < cols; ++j) sums[j] += x[j];
  }
}

template <class T>
void exponentials(T* z, std::ptrdiff_t rows, std::ptrdiff_t cols, double* largest, double* total) {
  for (std::ptrdiff_t i = 0; i < rows; ++i, z += cols) {
    T top = z[0];
    for (std::ptrdiff_t j = 1; j < cols; ++j) top = z[j] > top ? z[j] : top;
    for (std::ptrdiff_t j = 0; j < cols; ++j) z[j] = exp_of(z[j] - top);
    double sum = 0.0;
    for (std::ptrdiff_t j = 0; j < cols; ++j) sum += static_cast<double>(z[j]);
    largest[i] = static_cast<double>(top);
    total[i] = sum;
  }
}

template <class T>
void add(T a, const T* __restrict x, T* __restrict y, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i) y[i] += a * x[i];
}

template <class T>
inline T soft(T w, T threshold) {
  const T size = size_of(w) - threshold;
  return size > T(0) ? (w < T(0) ? -size : size) : (w == w ? T(0) : w);
}

template <class T>
double squares(const T* w, std::ptrdiff_t n) {
  constexpr int lanes = 8;
  double sums[lanes] = {}, rest = 0.0;
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) {
      const double value = static_cast<double>(w[i + lane]);
      sums[lane] += value * value;
    }
  }
  for (; i < n; ++i) rest += static_cast<double>(w[i]) * static_cast<double>(w[i]);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

template <class T>
void sgd(const Sweep& rule, T* __restrict w, const T* __restrict g, T* __restrict m, std::ptrdiff_t n) {
  const T rate = T(rule.rate), momentum = T(rule.first), decay = T(rule.decay), scale = T(rule.scale);
  const T ahead = rule.nesterov ? T(1) : T(0), threshold = T(rule.rate * rule.l1);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const T step = rate * (scale * g[i] + decay * w[i]), speed = momentum * m[i] - step;
    m[i] = speed;
    w[i] += ahead != T(0) ? momentum * speed - step : speed;
  }
  if (threshold > T(0)) {
    for (std::ptrdiff_t i = 0; i < n; ++i) w[i] = soft(w[i], threshold);
  }
}

template <class T, bool Averaged, bool Fading>
void adaptive(const Sweep& rule, T* __restrict w, const T* __restrict g, T* __restrict m, T* __restrict v,
              std::ptrdiff_t n) {
  const T rate = T(rule.rate), first = T(rule.first), second = T(rule.second), decay = T(rule.decay);
  const T epsilon = T(rule.epsilon), scale = T(rule.scale), kept = T(1.0 - rule.shrink), l1 = T(rule.l1);
  const T rest_first = T(1.0 - rule.first), rest_second = Fading ? T(1.0 - rule.second) : T(1);
  const T old = Fading ? second : T(1);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const T slope = scale * g[i] + decay * w[i];
    const T square = old * v[i] + rest_second * (slope * slope);
    v[i] = square;
    T direction = slope;
    if constexpr (Averaged) {
      direction = first * m[i] + rest_first * slope;
      m[i] = direction;
    }
    const T step = rate / (root(square) + epsilon);
    const T moved = kept * w[i] - step * direction;
    w[i] = l1 > T(0) ? soft(moved, step * l1) : moved;
  }
}

template <class T>
double sweep(const Sweep& rule, T* w, const T* g, T* m, T* v, std::ptrdiff_t n) {
  const double before = rule.decay > 0.0 ? squares(w, n) : 0.0;
  switch (rule.solver) {
    case Solver::sgd:
      sgd(rule, w, g, m, n);
      break;
    case Solver::adam:
    case Solver::adamw:
      adaptive<T, true, true>(rule, w, g, m, v, n);
      break;
    case Solver::adagrad:
      adaptive<T, false, false>(rule, w, g, m, v, n);
      break;
    case Solver::rmsprop:
      adaptive<T, false, true>(rule, w, g, m, v, n);
      break;
  }
  return before;
}

}  // namespace

extern const neural::NetworkOps network_ops_table;
const neural::NetworkOps network_ops_table = {
    activate<float>,     activate<double>,    chain<float>,         chain<double>, add_columns<float>,
    add_columns<double>, exponentials<float>, exponentials<double>, add<float>,    add<double>,
    multiply<float>,     multiply<double>,    sweep<float>,         sweep<double>};

}  // namespace certus::CERTUS_ISA
