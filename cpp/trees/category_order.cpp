#include "trees/category_order.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace certus::trees {
namespace {

// Weights of the groups and one point per group: class shares, or means or medians of the outputs.
struct Centers {
  Index size = 1;  // numbers per point
  std::vector<double> weights, points;

  double* point(std::size_t group) { return points.data() + static_cast<Index>(group) * size; }
};

double weighted_median(std::vector<std::pair<double, double>>& values, double total) {
  std::sort(values.begin(), values.end());
  double below = 0.0;
  for (const auto& [value, weight] : values) {
    below += weight;
    if (2.0 * below >= total) return value;
  }
  return values.back().first;
}

// Numbers count from those of `origin`, so that a large common part does no harm.
void add_row(const Target& target, Row row, Row origin, double* point) {
  const double w = target.weight(row);
  for (Index output = 0; output < target.outputs; ++output) {
    const Index place = row * target.outputs + output;
    if (target.labels != nullptr) {
      point[output * target.max_classes + target.labels[place]] += w;
    } else {
      point[output] += w * (target.values[place] - target.values[origin * target.outputs + output]);
    }
  }
}

void write_medians(const Target& target, std::span<const Entry> rows, double weight, double* point) {
  std::vector<std::pair<double, double>> values(rows.size());
  for (Index output = 0; output < target.outputs; ++output) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      values[i] = {target.values[rows[i].row * target.outputs + output], target.weight(rows[i].row)};
    }
    point[output] = weighted_median(values, weight);
  }
}

Centers centers_of(const ColumnView& view, const Target& target, CriterionKind criterion,
                   const std::vector<CategoryGroup>& groups) {
  Centers centers;
  centers.size = target.value_size();
  centers.weights.assign(groups.size(), 0.0);
  centers.points.assign(groups.size() * static_cast<std::size_t>(centers.size), 0.0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::span<const Entry> rows(view.entries + groups[g].begin,
                                      static_cast<std::size_t>(groups[g].count));
    double* point = centers.point(g);
    for (const Entry& entry : rows) centers.weights[g] += target.weight(entry.row);
    if (criterion == CriterionKind::absolute_error) {
      write_medians(target, rows, centers.weights[g], point);
    } else {
      for (const Entry& entry : rows) add_row(target, entry.row, view.entries[0].row, point);
      for (Index k = 0; k < centers.size; ++k) point[k] /= centers.weights[g];
    }
  }
  return centers;
}

void subtract_mean(Centers& centers) {
  double total = 0.0;
  for (const double weight : centers.weights) total += weight;
  for (Index k = 0; k < centers.size; ++k) {
    double sum = 0.0;
    for (std::size_t g = 0; g < centers.weights.size(); ++g) sum += centers.weights[g] * centers.point(g)[k];
    for (std::size_t g = 0; g < centers.weights.size(); ++g) centers.point(g)[k] -= sum / total;
  }
}

double dot(const double* a, const double* b, Index size) {
  double sum = 0.0;
  for (Index k = 0; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

bool scale_to_one(std::vector<double>& vector) {
  const auto size = static_cast<Index>(vector.size());
  const double norm = std::sqrt(dot(vector.data(), vector.data(), size));
  if (!(norm > 0.0)) return false;
  for (double& each : vector) each /= norm;
  return true;
}

// The leading eigenvector of sum_g w_g d_g d_g' by power iteration, from the heaviest deviation d_g.
std::vector<double> leading_direction(Centers& centers) {
  constexpr int most_steps = 50;
  constexpr double settled = 1e-10;
  std::size_t start = 0;
  double heaviest = -1.0;
  for (std::size_t g = 0; g < centers.weights.size(); ++g) {
    const double spread = centers.weights[g] * dot(centers.point(g), centers.point(g), centers.size);
    if (spread > heaviest) {
      heaviest = spread;
      start = g;
    }
  }
  std::vector<double> direction(centers.point(start), centers.point(start) + centers.size);
  if (!scale_to_one(direction)) return direction;
  for (int step = 0; step < most_steps; ++step) {
    std::vector<double> next(direction.size(), 0.0);
    for (std::size_t g = 0; g < centers.weights.size(); ++g) {
      const double share = centers.weights[g] * dot(centers.point(g), direction.data(), centers.size);
      for (Index k = 0; k < centers.size; ++k) next[k] += share * centers.point(g)[k];
    }
    if (!scale_to_one(next)) break;
    const double agreement = dot(next.data(), direction.data(), centers.size);
    direction.swap(next);
    if (agreement > 1.0 - settled) break;
  }
  return direction;
}

bool one_number(const Target& target) {
  return target.outputs == 1 && (target.labels == nullptr || target.max_classes <= 2);
}

}  // namespace

std::vector<CategoryGroup> groups_of(const ColumnView& view) {
  std::vector<CategoryGroup> groups;
  for (Index i = 0; i < view.listed; ++i) {
    const auto code = static_cast<std::uint32_t>(view.entries[i].value);
    if (groups.empty() || groups.back().code != code) groups.push_back({code, i, 0, 0.0});
    ++groups.back().count;
  }
  return groups;
}

bool order_is_exact(const Target& target, CriterionKind criterion) {
  return one_number(target) && (target.labels != nullptr || criterion == CriterionKind::squared_error);
}

void put_in_order(const ColumnView& view, const Target& target, CriterionKind criterion,
                  std::vector<CategoryGroup>& groups) {
  Centers centers = centers_of(view, target, criterion, groups);
  const Index last = centers.size - 1;  // the only number, or the share of the second of two classes
  if (one_number(target)) {
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g].key = centers.point(g)[last];
  } else {
    subtract_mean(centers);
    const std::vector<double> direction = leading_direction(centers);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      groups[g].key = dot(centers.point(g), direction.data(), centers.size);
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const CategoryGroup& a, const CategoryGroup& b) { return a.key < b.key; });
}

}  // namespace certus::trees
