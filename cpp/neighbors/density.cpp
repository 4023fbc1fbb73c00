#include "neighbors/density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "geometry/median_split.hpp"

CERTUS_ISA_TABLE(certus::DensityOps, density_ops)

namespace certus::neighbors {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-17;  // of the sum: what never shows in its digits

std::size_t at(Index place) { return static_cast<std::size_t>(place); }

bool in_logarithms(DensityKernel kernel) {
  return kernel == DensityKernel::gaussian || kernel == DensityKernel::exponential;
}

double log_value(DensityKernel kernel, double square) {
  return kernel == DensityKernel::gaussian ? -0.5 * square : -std::sqrt(square);
}

// Halves ranges at whole groups until each is one.
void cut(View2D<const double> rows, std::span<std::int32_t> members, geometry::SplitSpace<double>& space,
         StopToken& stop) {
  const auto count = static_cast<Index>(members.size());
  if (count <= density_group || stop.poll()) return;
  const Index groups = block_count(count, density_group), first = groups / 2 * density_group;
  geometry::split_at<double>(rows, members, first, space, stop);
  cut(rows, members.first(at(first)), space, stop);
  cut(rows, members.subspan(at(first)), space, stop);
}

// A sum of terms exp(log), kept over the largest one.
struct ShiftedSum {
  double shift = -infinity, sum = 0.0;

  // Makes `shift` the largest; returns by what earlier sums shrink.
  double raise(double largest) {
    if (!(largest > shift)) return 1.0;
    const double factor = std::exp(shift - largest);
    sum *= factor;
    shift = largest;
    return factor;
  }
};

}  // namespace

struct DensityRows::Work {
  explicit Work(Index groups)
      : nearest(at(groups)), farthest(at(groups)), squares(at(density_group)), ahead(at(groups)) {}
  std::vector<double> nearest, farthest, squares;
  std::vector<char> ahead;
};

DensityRows::DensityRows(View2D<const double> rows, std::span<const double> weights, StopToken& stop)
    : columns_(rows.cols), groups_(block_count(rows.rows, density_group)), slots_(at(rows.rows)) {
  std::vector<std::int32_t> order(at(rows.rows));
  std::iota(order.begin(), order.end(), 0);
  {
    std::vector<std::uint64_t> keyed(order.size());
    std::vector<std::int32_t> moved(order.size());
    geometry::SplitSpace<double> space{keyed, moved, {}, {}};
    cut(rows, order, space, stop);
  }
  points_.resize(at(groups_ * columns_ * density_group));
  weights_.assign(at(groups_ * density_group), 0.0);
  group_weights_.assign(at(groups_), 0.0);
  low_.assign(at(columns_ * groups_), infinity);
  high_.assign(at(columns_ * groups_), -infinity);
  for (Index g = 0; g < groups_; ++g) {
    const Index first = g * density_group, count = std::min(density_group, rows.rows - first);
    for (Index lane = 0; lane < density_group; ++lane) {
      const std::int32_t row =
          order[at(first + std::min(lane, count - 1))];  // a spare lane repeats the last row
      for (Index j = 0; j < columns_; ++j) {
        const double cell = rows(row, j);
        points_[at((g * columns_ + j) * density_group + lane)] = cell;
        low_[at(j * groups_ + g)] = std::min(low_[at(j * groups_ + g)], cell);
        high_[at(j * groups_ + g)] = std::max(high_[at(j * groups_ + g)], cell);
      }
      if (lane >= count) continue;
      weights_[at(first + lane)] = weights[at(row)];
      group_weights_[at(g)] += weights[at(row)];
      slots_[at(row)] = static_cast<std::int32_t>(first + lane);
    }
    total_ += group_weights_[at(g)];
  }
}

double DensityRows::log_sum(const double* query, const DensityRule& rule, Index own, Work& work) const {
  const DensityOps& ops = density_ops();
  const bool logarithms = in_logarithms(rule.kernel);
  const double absolute = rule.absolute / total_, relative = std::max(rule.relative, rounding) / total_;
  double* squares = work.squares.data();
  ShiftedSum found;
  double lower = 0.0;  // what the sum is at least, over the shift: of groups that were looked at
  if (!logarithms) found.shift = 0.0;

  const auto look_at = [&](Index g) {
    ops.squares(points_.data() + g * columns_ * density_group, query, rule.inverse.data(), columns_, squares);
    if (own >= g * density_group && own < (g + 1) * density_group) {
      squares[own % density_group] = infinity;
      for (Index lane = 0; lane < density_group; ++lane) {
        if (weights_[at(g * density_group + lane)] == 0.0)
          squares[lane] = infinity;  // it may repeat that row
      }
    }
    if (logarithms) {
      const double least = *std::min_element(squares, squares + density_group);
      if (least < infinity) lower *= found.raise(log_value(rule.kernel, least));
      if (found.shift == -infinity) return;
    }
    ops.values(rule.kernel, found.shift, squares, density_group);
    if (own >= g * density_group && own < (g + 1) * density_group) squares[own % density_group] = 0.0;
    const double part = ops.weighted_sum(squares, weights_.data() + g * density_group);
    found.sum += part;
    lower += part;
  };

  ops.box_squares(low_.data(), high_.data(), query, rule.inverse.data(), columns_, groups_,
                  work.nearest.data(), work.farthest.data());
  const Index first = std::min_element(work.nearest.begin(), work.nearest.end()) - work.nearest.begin();
  look_at(first);
  const double base = found.shift;
  if (base == -infinity) {  // nothing to compare with: the only row of the group is left out
    for (Index g = 0; g < groups_; ++g) {
      if (g != first) look_at(g);
    }
    return found.sum > 0.0 ? found.shift + std::log(found.sum) : -infinity;
  }
  // A corner of a box may be nearer than any row so far; such a group has to be looked at.
  const double nearer = !logarithms                              ? 0.0
                        : rule.kernel == DensityKernel::gaussian ? -2.0 * base
                                                                 : base * base;
  for (Index g = 0; g < groups_; ++g) work.ahead[at(g)] = work.nearest[at(g)] < nearer;
  ops.values(rule.kernel, base, work.nearest.data(), groups_);
  ops.values(rule.kernel, base, work.farthest.data(), groups_);
  for (Index g = 0; g < groups_; ++g) {
    if (g == first) continue;
    const double scale = logarithms ? std::exp(base - found.shift) : 1.0;
    const double unit = absolute > 0.0 && logarithms ? std::exp(-found.shift) : 1.0;
    const double allowed = absolute * unit + relative * lower;
    const double high = work.nearest[at(g)] * scale, least = work.farthest[at(g)] * scale;
    const bool holds_own = own >= g * density_group && own < (g + 1) * density_group;
    if (holds_own || work.ahead[at(g)] || 0.5 * (high - least) > allowed) {
      look_at(g);
      continue;
    }
    found.sum += 0.5 * (high + least) * group_weights_[at(g)];
    lower += least * group_weights_[at(g)];
  }
  return found.sum > 0.0 ? found.shift + std::log(found.sum) : -infinity;
}

void DensityRows::log_sums(View2D<const double> queries, const DensityRule& rule, bool leave_out, int threads,
                           StopToken& stop, std::span<double> out) const {
  parallel_ranges(queries.rows, 32, threads, stop, [&](Index from, Index to, int) {
    Work work(groups_);
    for (Index i = from; i < to; ++i) {
      if (stop.poll()) return;
      out[at(i)] = log_sum(queries.row(i), rule, leave_out ? slots_[at(i)] : -1, work);
    }
  });
}

void log_sums_at(View2D<double> distances, std::span<const double> weights, DensityKernel kernel,
                 double inverse, int threads, StopToken& stop, std::span<double> out) {
  const DensityOps& ops = density_ops();
  parallel_ranges(distances.rows, 16, threads, stop, [&](Index from, Index to, int) {
    for (Index i = from; i < to; ++i) {
      if (stop.poll()) return;
      double* row = distances.row(i);
      double least = infinity;
      for (Index j = 0; j < distances.cols; ++j) {
        row[j] = (row[j] * inverse) * (row[j] * inverse);
        least = std::min(least, row[j]);
      }
      const double shift = in_logarithms(kernel) ? log_value(kernel, least) : 0.0;
      ops.values(kernel, shift, row, distances.cols);
      double sum = 0.0;
      for (Index j = 0; j < distances.cols; ++j) sum += weights[at(j)] * row[j];
      out[at(i)] = sum > 0.0 ? shift + std::log(sum) : -infinity;
    }
  });
}

}  // namespace certus::neighbors
