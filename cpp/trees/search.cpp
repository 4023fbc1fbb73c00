#include "trees/search.hpp"

#include "trees/sums_classes.hpp"
#include "trees/sums_counts.hpp"
#include "trees/sums_errors.hpp"
#include "trees/sums_means.hpp"
#include "trees/sums_medians.hpp"

namespace certus::trees {

Summary class_totals(const Target& target, std::span<const Row> rows) {
  Summary summary;
  summary.totals.assign(static_cast<std::size_t>(target.value_size()), 0.0);
  for (const Row row : rows) {
    const double w = target.weight(row);
    summary.weight += w;
    for (Index output = 0; output < target.outputs; ++output) {
      summary.totals[output * target.max_classes + target.labels[row * target.outputs + output]] += w;
    }
  }
  return summary;
}

Summary BinaryGiniSums::summarize(const Target&, const Shared& shared, std::span<const Row> rows) {
  std::int64_t ones = 0;
  for (const Row row : rows) ones += shared.is_one[row];
  const auto weight = static_cast<double>(rows.size()), one = static_cast<double>(ones), zero = weight - one;
  return {weight, 2.0 * one * zero / (weight * weight), {zero, one}};
}

Summary weighted_means(const Target& target, std::span<const Row> rows) {
  Summary summary;
  summary.totals.assign(static_cast<std::size_t>(target.outputs), 0.0);
  for (const Row row : rows) {
    const double w = target.weight(row);
    summary.weight += w;
    for (Index k = 0; k < target.outputs; ++k)
      summary.totals[k] += w * target.values[row * target.outputs + k];
  }
  for (double& total : summary.totals) total /= summary.weight;
  for (Index k = 0; k < target.outputs; ++k) {
    double rest = 0.0;
    for (const Row row : rows) {
      rest += target.weight(row) * (target.values[row * target.outputs + k] - summary.totals[k]);
    }
    summary.totals[k] += rest / summary.weight;
  }
  return summary;
}

void CenteredNode::center(const Target& target, Residuals& residuals, const Summary& summary,
                          std::span<const Row> rows) {
  weight = summary.weight;
  outputs = static_cast<double>(target.outputs);
  means = summary.totals;
  for (Index k = 0; k < target.outputs; ++k) {
    double sum = 0.0;
    for (const Row row : rows) {
      const Index place = row * target.outputs + k;
      residuals.values[place] = target.weight(row) * (target.values[place] - means[k]);
      sum += residuals.values[place];
    }
    const double shift = sum / weight;
    for (const Row row : rows) residuals.values[row * target.outputs + k] -= target.weight(row) * shift;
  }
}

template <bool Single, bool Weighted>
Summary SquaredSums<Single, Weighted>::summarize(const Target& target, const Shared&,
                                                 std::span<const Row> rows) {
  Summary summary = weighted_means(target, rows);
  for (const Row row : rows) {
    const double w = target.weight(row);
    for (Index k = 0; k < target.outputs; ++k) {
      const double residual = target.values[row * target.outputs + k] - summary.totals[k];
      summary.impurity += w * residual * residual;
    }
  }
  summary.impurity /= static_cast<double>(target.outputs) * summary.weight;
  return summary;
}

Summary PoissonSums::summarize(const Target& target, const Shared&, std::span<const Row> rows) {
  Summary summary = weighted_means(target, rows);
  for (const Row row : rows) {
    for (Index k = 0; k < target.outputs; ++k) {
      const double y = target.values[row * target.outputs + k];
      if (y > 0.0) summary.impurity += target.weight(row) * y * std::log(y / summary.totals[k]);
    }
  }
  summary.impurity = std::max(0.0, summary.impurity / (static_cast<double>(target.outputs) * summary.weight));
  return summary;
}

namespace {

template <class Sums>
std::unique_ptr<SplitSearch> make(const Target& target, int workers) {
  return std::make_unique<CriterionSearch<Sums>>(target, std::make_shared<typename Sums::Shared>(target),
                                                 workers);
}

template <bool Entropy>
std::unique_ptr<SplitSearch> make_classes(const Target& target, int workers) {
  if (target.outputs == 1) {
    return target.weights != nullptr ? make<ClassSums<Entropy, true, true>>(target, workers)
                                     : make<ClassSums<Entropy, false, true>>(target, workers);
  }
  return target.weights != nullptr ? make<ClassSums<Entropy, true, false>>(target, workers)
                                   : make<ClassSums<Entropy, false, false>>(target, workers);
}

std::unique_ptr<SplitSearch> make_gini(const Target& target, int workers) {
  if (target.counted && target.outputs == 1) return make<CountedGiniSums>(target, workers);
  const bool counts_of_two = target.weights == nullptr && target.outputs == 1 && target.max_classes == 2;
  return counts_of_two ? make<BinaryGiniSums>(target, workers) : make_classes<false>(target, workers);
}

std::unique_ptr<SplitSearch> make_squared(const Target& target, int workers) {
  if (target.outputs == 1) {
    return target.weights != nullptr ? make<SquaredSums<true, true>>(target, workers)
                                     : make<SquaredSums<true, false>>(target, workers);
  }
  return target.weights != nullptr ? make<SquaredSums<false, true>>(target, workers)
                                   : make<SquaredSums<false, false>>(target, workers);
}

}  // namespace

std::unique_ptr<SplitSearch> make_search(CriterionKind kind, const Target& target, int workers) {
  switch (kind) {
    case CriterionKind::gini:
      return make_gini(target, workers);
    case CriterionKind::entropy:
      return make_classes<true>(target, workers);
    case CriterionKind::misclassification:
      return make<ErrorSums>(target, workers);
    case CriterionKind::absolute_error:
      return make<AbsoluteSums>(target, workers);
    case CriterionKind::poisson:
      return make<PoissonSums>(target, workers);
    default:
      return make_squared(target, workers);
  }
}

}  // namespace certus::trees
