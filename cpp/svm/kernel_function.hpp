// Which kernel is meant:
//   linear      k(x, z) = x.z
//   polynomial  k(x, z) = (gamma x.z + coef0)^degree
//   gaussian    k(x, z) = exp(-gamma |x - z|^2)
//   sigmoid     k(x, z) = tanh(gamma x.z + coef0)
//   given       the table holds kernel values, not rows
#pragma once

namespace certus::svm {

enum class KernelKind : int { linear = 0, polynomial = 1, gaussian = 2, sigmoid = 3, given = 4 };

struct KernelFunction {
  KernelKind kind = KernelKind::linear;
  double gamma = 1.0;
  double coef0 = 0.0;
  int degree = 3;
};

}  // namespace certus::svm
