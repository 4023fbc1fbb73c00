#include "neural/output.hpp"

#include <cmath>

#include "neural/typed_ops.hpp"

namespace certus::neural {
namespace {

double softplus(double z) { return std::max(z, 0.0) + losses::log_of_one_and(std::exp(-std::abs(z))); }

// Cross entropy against (1 - smoothing) of the label and smoothing / K of every label.
template <class T>
double multinomial_row(T* scores, Index classes, Index label, double smoothing, double weight,
                       double factor) {
  const double even = smoothing / static_cast<double>(classes);
  double wanted = (1.0 - smoothing) * static_cast<double>(scores[label]);
  if (even > 0.0) {
    for (Index k = 0; k < classes; ++k) wanted += even * static_cast<double>(scores[k]);
  }
  double largest = 0.0, total = 0.0;
  TypedOps<T>::exponentials(scores, Index(1), classes, &largest, &total);
  const double size = weight * factor;
  const T share = static_cast<T>(size / total), base = static_cast<T>(size * even);
  for (Index k = 0; k < classes; ++k) scores[k] = scores[k] * share - base;
  scores[label] -= static_cast<T>(size * (1.0 - smoothing));
  return weight * (largest + std::log(total) - wanted);
}

template <class T>
double quantile_row(const std::vector<double>& quantiles, double y, double weight, double factor, T* scores) {
  const std::size_t count = quantiles.size();
  double value = 0.0, at = 0.0;
  std::vector<double> slopes(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double score = static_cast<double>(scores[k]);
    at += k == 0 ? score : softplus(score);
    const losses::Quantile loss(y, at, quantiles[k]);
    value += loss.value();
    slopes[k] = loss.slope();
  }
  double above = 0.0;
  for (std::size_t k = count; k-- > 0;) {
    above += slopes[k];
    const double inner =
        k == 0 ? 1.0 : losses::Logistic(0.0, static_cast<double>(scores[k]), 0.0).probability();
    scores[k] = static_cast<T>(weight * factor * above * inner);
  }
  return weight * value;
}

// What a value of the loss lacks that does not depend on the score, so that a perfect score has the loss 0.
double left_out(LossKind kind, double y) {
  return kind == LossKind::poisson ? (y > 0.0 ? y * std::log(y) : 0.0) - y : 0.0;
}

}  // namespace

template <class T>
double output_delta(const OutputRule& rule, const Targets<T>& targets, const Rows& rows,
                    std::span<const double> weights, double factor, View2D<T> scores) {
  double sum = 0.0;
  for (Index i = 0; i < rows.count; ++i) {
    const Index row = rows[i];
    const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)];
    T* score = scores.row(i);
    if (targets.deltas.data != nullptr) {
      for (Index k = 0; k < scores.cols; ++k) {
        sum += weight * static_cast<double>(score[k]) * static_cast<double>(targets.deltas(row, k));
        score[k] = static_cast<T>(weight * factor) * targets.deltas(row, k);
      }
    } else if (rule.loss.kind == LossKind::multinomial) {
      const Index label = targets.classes[static_cast<std::size_t>(row)];
      sum += multinomial_row(score, scores.cols, label, rule.smoothing, weight, factor);
    } else if (!rule.quantiles.empty()) {
      sum += quantile_row(rule.quantiles, static_cast<double>(targets.values(row, 0)), weight, factor, score);
    } else {
      with_loss(rule.loss.kind, [&](auto tag) {
        using One = typename decltype(tag)::type;
        for (Index k = 0; k < scores.cols; ++k) {
          double y = static_cast<double>(targets.values(row, k));
          if (rule.smoothing > 0.0) y += rule.smoothing * (0.5 - y);
          const One loss(y, static_cast<double>(score[k]), rule.loss.parameter);
          sum += weight * (loss.value() + left_out(rule.loss.kind, y));
          score[k] = static_cast<T>(weight * factor * loss.slope());
        }
      });
    }
  }
  return sum;
}

template <class T>
void cumulate_quantiles(View2D<T> scores) {
  for (Index i = 0; i < scores.rows; ++i) {
    T* row = scores.row(i);
    for (Index k = 1; k < scores.cols; ++k) {
      row[k] = row[k - 1] + static_cast<T>(softplus(static_cast<double>(row[k])));
    }
  }
}

#define CERTUS_INSTANTIATE(T)                                                                              \
  template double output_delta(const OutputRule&, const Targets<T>&, const Rows&, std::span<const double>, \
                               double, View2D<T>);                                                         \
  template void cumulate_quantiles(View2D<T>);
CERTUS_INSTANTIATE(float)
CERTUS_INSTANTIATE(double)
#undef CERTUS_INSTANTIATE

}  // namespace certus::neural
