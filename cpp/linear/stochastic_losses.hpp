// Value and derivative of the losses that stochastic gradient descent takes, for one row: target y, score f.
// Labels are -1 and 1.
#pragma once

#include <cmath>
#include <cstdint>

namespace certus::linear {

enum class RowLoss : int {
  hinge,
  squared_hinge,
  perceptron,
  log_loss,
  modified_huber,
  squared_error,
  huber,
  epsilon_insensitive,
  squared_epsilon_insensitive,
};

struct LossPoint {
  double value;
  double slope;  // derivative in the score
};

inline LossPoint log_loss_point(double margin, double y) {
  const double decay = std::exp(-std::abs(margin));
  const double value = std::log1p(decay) + (margin < 0.0 ? -margin : 0.0);
  const double miss = margin < 0.0 ? 1.0 / (1.0 + decay) : decay / (1.0 + decay);
  return {value, -y * miss};
}

inline LossPoint loss_point(RowLoss loss, double epsilon, double y, double f) {
  const double margin = y * f, residual = f - y, size = std::abs(residual);
  const double sign = residual > 0.0 ? 1.0 : -1.0;
  switch (loss) {
    case RowLoss::hinge:
      return margin <= 1.0 ? LossPoint{1.0 - margin, -y} : LossPoint{0.0, 0.0};
    case RowLoss::squared_hinge: {
      const double slack = 1.0 - margin;
      return slack > 0.0 ? LossPoint{slack * slack, -2.0 * y * slack} : LossPoint{0.0, 0.0};
    }
    case RowLoss::perceptron:
      return margin <= 0.0 ? LossPoint{-margin, -y} : LossPoint{0.0, 0.0};
    case RowLoss::log_loss:
      return log_loss_point(margin, y);
    case RowLoss::modified_huber: {
      const double slack = 1.0 - margin;
      if (slack <= 0.0) return {0.0, 0.0};
      return margin >= -1.0 ? LossPoint{slack * slack, -2.0 * y * slack} : LossPoint{-4.0 * margin, -4.0 * y};
    }
    case RowLoss::squared_error:
      return {0.5 * residual * residual, residual};
    case RowLoss::huber:
      return size <= epsilon ? LossPoint{0.5 * residual * residual, residual}
                             : LossPoint{epsilon * (size - 0.5 * epsilon), epsilon * sign};
    case RowLoss::epsilon_insensitive:
      return size > epsilon ? LossPoint{size - epsilon, sign} : LossPoint{0.0, 0.0};
    default: {
      const double excess = size - epsilon;
      return excess > 0.0 ? LossPoint{excess * excess, 2.0 * sign * excess} : LossPoint{0.0, 0.0};
    }
  }
}

}  // namespace certus::linear
