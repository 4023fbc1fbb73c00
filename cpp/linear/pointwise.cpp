#include "linear/pointwise.hpp"

#include <algorithm>
#include <cmath>

#include "linear/row_ops.hpp"

namespace certus::linear {
namespace {

double weight_of(const double* weights, Index row) noexcept { return weights ? weights[row] : 1.0; }

// log(1 + x) for x in [0, 1]: the logarithm of the rounded sum, put right by what the rounding took.
double log_of_one_and(double x) noexcept {
  const double sum = 1.0 + x;
  return std::log(sum) + (x - (sum - 1.0)) / sum;
}

double squared(Index rows, Index outputs, const double* target, const double* weights, double* scores,
               double* curvature) noexcept {
  double sum = 0.0;
  for (Index i = 0; i < rows; ++i) {
    const double weight = weight_of(weights, i);
    for (Index k = 0; k < outputs; ++k) {
      const Index at = i * outputs + k;
      const double residual = scores[at] - target[at];
      sum += 0.5 * weight * residual * residual;
      scores[at] = weight * residual;
      if (curvature) curvature[at] = weight;
    }
  }
  return sum;
}

double logistic(Index rows, const double* target, const double* weights, double* scores,
                double* curvature) noexcept {
  double sum = 0.0;
  for (Index i = 0; i < rows; ++i) {
    const double score = scores[i], weight = weight_of(weights, i);
    const double decay = std::exp(-std::abs(score));  // never overflows
    const double smaller = decay / (1.0 + decay);     // probability of the less likely class
    const double probability = score >= 0.0 ? 1.0 / (1.0 + decay) : smaller;
    sum += weight * (std::max(score, 0.0) - target[i] * score + log_of_one_and(decay));
    // For y = 1 and a large score, probability - 1 cancels; the smaller probability is exact.
    const double derivative = score >= 0.0 ? (1.0 - target[i]) - smaller : smaller - target[i];
    scores[i] = weight * derivative;
    if (curvature) curvature[i] = weight * probability * (score >= 0.0 ? smaller : 1.0 - smaller);
  }
  return sum;
}

double multinomial(Index rows, Index outputs, const double* target, const double* weights, double* scores,
                   double* curvature) noexcept {
  constexpr Index group = 64;
  double below[group];  // score of the row's own class minus the largest
  double sum = 0.0;
  for (Index first = 0; first < rows; first += group) {
    const Index last = std::min(rows, first + group);
    for (Index i = first; i < last; ++i) {
      double* score = scores + i * outputs;
      const double largest = *std::max_element(score, score + outputs);
      for (Index k = 0; k < outputs; ++k) score[k] -= largest;
      below[i - first] = score[static_cast<Index>(target[i])];
    }
    machine_row_ops().exp_negative(scores + first * outputs, (last - first) * outputs);
    for (Index i = first; i < last; ++i) {
      double* score = scores + i * outputs;
      const double weight = weight_of(weights, i);
      const auto label = static_cast<Index>(target[i]);
      // p_y - 1 = -(sum of the others)/total: no cancellation when the model is sure and right.
      double others = 0.0;
      for (Index k = 0; k < outputs; ++k) others += k == label ? 0.0 : score[k];
      const double total = others + score[label];
      sum += weight * (std::log(total) - below[i - first]);
      const double scale = 1.0 / total;
      for (Index k = 0; k < outputs; ++k) {
        const double probability = score[k] * scale;
        if (curvature) curvature[i * outputs + k] = probability;
        score[k] = weight * (k == label ? -others * scale : probability);
      }
    }
  }
  return sum;
}

// Both have one exponential e of the score (of -score for gamma): l' = +-(e - constant part).
double poisson(Index rows, const double* target, const double* weights, double* scores,
               double* curvature) noexcept {
  double sum = 0.0;
  for (Index i = 0; i < rows; ++i) {
    const double score = scores[i], weight = weight_of(weights, i), mean = std::exp(score);
    sum += weight * (mean - target[i] * score);
    scores[i] = weight * (mean - target[i]);
    if (curvature) curvature[i] = weight * mean;
  }
  return sum;
}

double gamma(Index rows, const double* target, const double* weights, double* scores,
             double* curvature) noexcept {
  double sum = 0.0;
  for (Index i = 0; i < rows; ++i) {
    const double score = scores[i], weight = weight_of(weights, i), ratio = target[i] * std::exp(-score);
    sum += weight * (score + ratio);
    scores[i] = weight * (1.0 - ratio);
    if (curvature) curvature[i] = weight * ratio;
  }
  return sum;
}

}  // namespace

double apply_loss(Loss loss, Index rows, Index outputs, const double* target, const double* weights,
                  double* scores, double* curvature) noexcept {
  switch (loss) {
    case Loss::logistic:
      return logistic(rows, target, weights, scores, curvature);
    case Loss::multinomial:
      return multinomial(rows, outputs, target, weights, scores, curvature);
    case Loss::poisson:
      return poisson(rows, target, weights, scores, curvature);
    case Loss::gamma:
      return gamma(rows, target, weights, scores, curvature);
    default:
      return squared(rows, outputs, target, weights, scores, curvature);
  }
}

void apply_curvature(Loss loss, Index rows, Index outputs, const double* curvature, const double* weights,
                     double* directions) noexcept {
  if (loss != Loss::multinomial) {
    for (Index at = 0; at < rows * outputs; ++at) directions[at] *= curvature[at];
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    const double* probability = curvature + i * outputs;
    double* direction = directions + i * outputs;
    double mean = 0.0;
    for (Index k = 0; k < outputs; ++k) mean += probability[k] * direction[k];
    const double weight = weight_of(weights, i);
    for (Index k = 0; k < outputs; ++k) direction[k] = weight * probability[k] * (direction[k] - mean);
  }
}

}  // namespace certus::linear
