// Inner loops of multi-layer networks over contiguous memory, one version per instruction set (core/isa.hpp).
#pragma once

#include <cstddef>

namespace certus::neural {

enum class Activation : int {
  identity,
  logistic,
  tanh,
  relu,
  leaky_relu,  // slope 0.01 below 0
  selu,        // Klambauer et al. (2017)
  softplus,    // log(1 + e^z)
  gelu,        // z Phi(z), Hendrycks, Gimpel (2016)
  silu,        // z sigma(z)
  mish         // z tanh(softplus(z)), Misra (2019)
};

enum class Solver : int { sgd, adam, adamw, adagrad, rmsprop };

// One step of an optimiser over a range of parameters. The gradient of the penalty, decay w, is added here.
struct Sweep {
  Solver solver = Solver::adam;
  double rate = 1e-3;     // Adam's with its correction of the first steps
  double first = 0.9;     // momentum, or Adam's beta_1
  double second = 0.999;  // Adam's beta_2, or the memory of RMSProp
  double epsilon = 1e-8;
  bool nesterov = false;
  double decay = 0.0;   // of the squared L2 penalty
  double shrink = 0.0;  // w := (1 - shrink) w before the step (AdamW)
  double l1 = 0.0;      // soft threshold after the step, by this times the weight's own step size
  double scale = 1.0;   // factor of the gradient
};

struct NetworkOps {
  // z := act(z + bias), rows x cols; where `slope` is given it takes the derivatives.
  void (*activate_f)(Activation kind, float* z, const float* bias, float* slope, std::ptrdiff_t rows,
                     std::ptrdiff_t cols);
  void (*activate_d)(Activation kind, double* z, const double* bias, double* slope, std::ptrdiff_t rows,
                     std::ptrdiff_t cols);
  // delta := delta * derivative, from the outputs of the activation or from stored slopes.
  void (*chain_f)(Activation kind, const float* out, const float* slope, float* delta, std::ptrdiff_t n);
  void (*chain_d)(Activation kind, const double* out, const double* slope, double* delta, std::ptrdiff_t n);
  // sums_j += sum_i x_ij
  void (*add_columns_f)(const float* x, std::ptrdiff_t rows, std::ptrdiff_t cols, float* sums);
  void (*add_columns_d)(const double* x, std::ptrdiff_t rows, std::ptrdiff_t cols, double* sums);
  // Per row: z := exp(z - largest), with the largest and the total of the row.
  void (*exponentials_f)(float* z, std::ptrdiff_t rows, std::ptrdiff_t cols, double* largest, double* total);
  void (*exponentials_d)(double* z, std::ptrdiff_t rows, std::ptrdiff_t cols, double* largest, double* total);
  // y += a x
  void (*add_f)(float a, const float* x, float* y, std::ptrdiff_t n);
  void (*add_d)(double a, const double* x, double* y, std::ptrdiff_t n);
  // y *= x
  void (*multiply_f)(const float* x, float* y, std::ptrdiff_t n);
  void (*multiply_d)(const double* x, double* y, std::ptrdiff_t n);
  // One step over n parameters; returns the sum of their squares before it. m and v are the optimiser's
  // memory.
  double (*sweep_f)(const Sweep& rule, float* w, const float* g, float* m, float* v, std::ptrdiff_t n);
  double (*sweep_d)(const Sweep& rule, double* w, const double* g, double* m, double* v, std::ptrdiff_t n);
};

}  // namespace certus::neural

namespace certus {
const neural::NetworkOps& network_ops() noexcept;
}
