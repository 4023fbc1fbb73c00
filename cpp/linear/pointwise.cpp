#include "linear/pointwise.hpp"

#include <algorithm>
#include <cmath>

#include "core/isa.hpp"
#include "core/vector_ops.hpp"
#include "linear/pointwise_ops.hpp"

CERTUS_ISA_TABLE(certus::linear::PointwiseOps, pointwise_ops)

namespace certus::linear {
namespace {

double weight_of(const double* weights, Index row) noexcept { return weights ? weights[row] : 1.0; }

template <class L>
double each_score(double parameter, Index rows, Index outputs, const double* target, const double* weights,
                  double* scores, double* curvature) noexcept {
  double sum = 0.0;
  for (Index i = 0; i < rows; ++i) {
    const double weight = weight_of(weights, i);
    for (Index at = i * outputs; at < (i + 1) * outputs; ++at) {
      const L loss(target[at], scores[at], parameter);
      sum += weight * loss.value();
      scores[at] = weight * loss.slope();
      if (curvature) curvature[at] = weight * loss.curvature();
    }
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
    vector_ops().exp_negative(scores + first * outputs, (last - first) * outputs);
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

}  // namespace

double apply_loss(Loss loss, Index rows, Index outputs, const double* target, const double* weights,
                  double* scores, double* curvature) noexcept {
  if (loss.kind == LossKind::multinomial) {
    return multinomial(rows, outputs, target, weights, scores, curvature);
  }
  if (loss.kind == LossKind::logistic && outputs == 1) {
    return pointwise_ops().logistic(target, weights, rows, scores, curvature);
  }
  return with_loss(loss.kind, [&](auto tag) {
    using L = typename decltype(tag)::type;
    return each_score<L>(loss.parameter, rows, outputs, target, weights, scores, curvature);
  });
}

void apply_curvature(Loss loss, Index rows, Index outputs, const double* curvature, const double* weights,
                     double* directions) noexcept {
  if (loss.kind != LossKind::multinomial) {
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
