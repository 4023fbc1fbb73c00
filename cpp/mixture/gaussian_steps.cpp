#include "mixture/gaussian_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/aligned.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "mixture/gaussian_step_ops.hpp"

CERTUS_ISA_TABLE(certus::GaussianStepOps, gaussian_step_ops)

namespace certus::mixture {
namespace {

Index padded(Index columns, Index step) { return block_count(columns, step) * step; }

std::size_t size_of(Index count) { return static_cast<std::size_t>(count); }

// Rows of `from` (each rows x cols values) in rows of a padded size, zeros around them.
std::vector<double> padded_matrices(View2D<const double> from, Index columns, Index width) {
  std::vector<double> found(size_of(from.rows * width * width), 0.0);
  for (Index k = 0; k < from.rows; ++k) {
    for (Index i = 0; i < columns; ++i) {
      std::copy_n(from.row(k) + i * columns, columns, found.data() + (k * width + i) * width);
    }
  }
  return found;
}

std::vector<double> padded_rows(View2D<const double> from, Index width) {
  std::vector<double> found(size_of(from.rows * width), 0.0);
  for (Index k = 0; k < from.rows; ++k) std::copy_n(from.row(k), from.cols, found.data() + k * width);
  return found;
}

// The components as the inner loops read them.
struct Prepared {
  explicit Prepared(const Components& given)
      : full(given.full()),
        count(given.means.rows),
        columns(given.means.cols),
        width(padded(columns, full ? tile : row_width)),
        means(padded_rows(given.means, width)),
        factors(full ? padded_matrices(given.factors, columns, width) : padded_rows(given.factors, width)),
        constants(given.constants.begin(), given.constants.end()) {
    if (full) return;
    for (std::size_t at = 0; at < means.size(); ++at) means[at] *= factors[at];
  }

  // The mean of a component; of a diagonal one in units of its deviations.
  const double* mean(Index k) const { return means.data() + k * width; }
  const double* factor(Index k) const { return factors.data() + k * width * (full ? width : 1); }

  bool full;
  Index count, columns, width;
  std::vector<double> means, factors, constants;
};

// The space that one block of rows needs for one group of them at a time.
struct Group {
  explicit Group(const Prepared& model)
      : rowwise(size_of(model.width * group_rows), 0.0),
        x(size_of(model.width * group_rows), 0.0),
        joint(size_of(model.count * group_rows)),
        weights(group_rows),
        largest(group_rows),
        total(group_rows) {}

  // Turn some rows; what is left of the group keeps older values, which have no weight.
  template <class T>
  void read(View2D<const T> rows, std::span<const double> given) {
    const Index width = static_cast<Index>(rowwise.size()) / group_rows;
    for (Index r = 0; r < rows.rows; ++r) {
      const T* row = rows.row(r);
      double* to = rowwise.data() + r * width;
      for (Index j = 0; j < rows.cols; ++j) to[j] = static_cast<double>(row[j]);
    }
    gaussian_step_ops().turn(rowwise.data(), rows.rows, width, rows.cols, x.data());
    for (Index r = 0; r < group_rows; ++r) {
      weights[size_of(r)] = r >= rows.rows ? 0.0 : given.empty() ? 1.0 : given[size_of(r)];
    }
  }

  void fill_joint(const Prepared& model) {
    const GaussianStepOps& ops = gaussian_step_ops();
    const Index columns = model.full ? model.width : model.columns;
    for (Index k = 0; k < model.count; ++k) {
      double* out = joint.data() + k * group_rows;
      const auto joint_of = model.full ? ops.triangular_joint : ops.diagonal_joint;
      joint_of(x.data(), model.mean(k), model.factor(k), columns, model.constants[size_of(k)], out);
    }
  }

  AlignedVector<double> rowwise, x, joint, weights, largest, total;
};

struct BlockSums {
  explicit BlockSums(const Prepared& model)
      : weight(size_of(model.count), 0.0),
        first(size_of(model.count * model.width), 0.0),
        second(size_of(model.count * model.width * (model.full ? model.width : 1)), 0.0) {}

  void add(const Prepared& model, const double* centers, Group& group) {
    const GaussianStepOps& ops = gaussian_step_ops();
    const double* rows = model.full ? group.x.data() : group.rowwise.data();
    for (Index k = 0; k < model.count; ++k) {
      const double* share = group.joint.data() + k * group_rows;
      const double* center = centers + k * model.width;
      double* once = first.data() + k * model.width;
      double* twice = second.data() + k * model.width * (model.full ? model.width : 1);
      const auto moments_of = model.full ? ops.product_moments : ops.squared_moments;
      weight[size_of(k)] += moments_of(rows, center, share, model.width, once, twice);
    }
  }

  AlignedVector<double> weight, first, second;
  double likelihood = 0.0;
};

void add_to(const Moments& moments, const BlockSums& part, const Prepared& model) {
  const Index p = model.columns, width = model.width;
  for (Index k = 0; k < model.count; ++k) {
    moments.weight[size_of(k)] += part.weight[size_of(k)];
    for (Index j = 0; j < p; ++j) moments.first(k, j) += part.first[size_of(k * width + j)];
    if (!model.full) {
      for (Index j = 0; j < p; ++j) moments.second(k, j) += part.second[size_of(k * width + j)];
      continue;
    }
    for (Index i = 0; i < p; ++i) {
      for (Index j = 0; j < p; ++j) {  // only what is on and above the diagonal was computed
        const Index place = (k * width + std::min(i, j)) * width + std::max(i, j);
        moments.second(k, i * p + j) += part.second[size_of(place)];
      }
    }
  }
}

// Rows of a block: enough of them for the sums of all blocks together to need less memory than the table.
Index rows_of_block(Index rows, const Prepared& model) {
  const Index sums = model.count * model.width * ((model.full ? model.width : 1) + 2);
  const Index most = std::clamp<Index>(rows * model.columns / std::max<Index>(sums, 1), 8, 64);
  return std::max<Index>(block_count(block_count(rows, most), group_rows), 4) * group_rows;
}

// Of rows that count once, several totals, each between 1 and the number of components, share a logarithm.
double log_densities(const Group& group, Index rows) {
  constexpr int most = 8;
  double sum = 0.0, product = 1.0;
  int factors = 0;
  for (Index r = 0; r < rows; ++r) {
    const double weight = group.weights[size_of(r)], largest = group.largest[size_of(r)];
    if (weight == 0.0) continue;
    if (weight != 1.0 || !std::isfinite(largest)) {
      sum += weight * (std::isfinite(largest) ? largest + std::log(group.total[size_of(r)]) : largest);
      continue;
    }
    sum += largest;
    product *= group.total[size_of(r)];
    if (++factors == most) {
      sum += std::log(product);
      product = 1.0;
      factors = 0;
    }
  }
  return sum + std::log(product);
}

}  // namespace

template <class T>
double add_moments(View2D<const T> x, std::span<const double> weights, const Components& components,
                   View2D<const double> centers, const Moments& moments, int threads, StopToken& stop) {
  const Prepared model(components);
  const std::vector<double> around = padded_rows(centers, model.width);
  const Index block = rows_of_block(x.rows, model);
  std::vector<BlockSums> parts(size_of(block_count(x.rows, block)), BlockSums(model));
  parallel_ranges(x.rows, block, threads, stop, [&](Index first, Index last, int) {
    BlockSums& part = parts[size_of(first / block)];
    Group group(model);
    for (Index i = first; i < last; i += group_rows) {
      if (stop.poll()) return;
      const Index rows = std::min(group_rows, last - i);
      const auto given = weights.empty() ? weights : weights.subspan(size_of(i), size_of(rows));
      group.read(x.rows_from(i, rows), given);
      group.fill_joint(model);
      gaussian_step_ops().shares(group.joint.data(), model.count, group.weights.data(), group.largest.data(),
                                 group.total.data());
      part.likelihood += log_densities(group, rows);
      part.add(model, around.data(), group);
    }
  });
  double likelihood = 0.0;
  for (const BlockSums& part : parts) {
    add_to(moments, part, model);
    likelihood += part.likelihood;
  }
  return likelihood;
}

template <class T>
void log_joint(View2D<const T> x, const Components& components, View2D<double> out, int threads,
               StopToken& stop) {
  const Prepared model(components);
  parallel_ranges(x.rows, 4 * group_rows, threads, stop, [&](Index first, Index last, int) {
    Group group(model);
    for (Index i = first; i < last; i += group_rows) {
      if (stop.poll()) return;
      const Index rows = std::min(group_rows, last - i);
      group.read(x.rows_from(i, rows), {});
      group.fill_joint(model);
      for (Index r = 0; r < rows; ++r) {
        for (Index k = 0; k < model.count; ++k) out(i + r, k) = group.joint[size_of(k * group_rows + r)];
      }
    }
  });
}

template double add_moments<float>(View2D<const float>, std::span<const double>, const Components&,
                                   View2D<const double>, const Moments&, int, StopToken&);
template double add_moments<double>(View2D<const double>, std::span<const double>, const Components&,
                                    View2D<const double>, const Moments&, int, StopToken&);
template void log_joint<float>(View2D<const float>, const Components&, View2D<double>, int, StopToken&);
template void log_joint<double>(View2D<const double>, const Components&, View2D<double>, int, StopToken&);

}  // namespace certus::mixture
