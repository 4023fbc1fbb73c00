#include "bayes/gaussian.hpp"

#include <algorithm>
#include <vector>

#include "bayes/gaussian_ops.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"

CERTUS_ISA_TABLE(certus::GaussianOps, gaussian_ops)

namespace certus {
namespace {

constexpr Index rows_between_polls = 256;

template <class T>
auto update_function() {
  if constexpr (std::is_same_v<T, float>) {
    return gaussian_ops().update_f;
  } else {
    return gaussian_ops().update_d;
  }
}

template <class T>
auto distance_function() {
  if constexpr (std::is_same_v<T, float>) {
    return gaussian_ops().distance_f;
  } else {
    return gaussian_ops().distance_d;
  }
}

struct BlockMoments {
  std::vector<double> weight, mean, m2;
  BlockMoments(std::size_t classes, std::size_t columns)
      : weight(classes, 0.0), mean(classes * columns, 0.0), m2(classes * columns, 0.0) {}
};

// Chan, Golub, LeVeque (1983), eq. 2.1: moments of the union of two disjoint sets.
void merge(const ClassMoments& total, const BlockMoments& part) {
  const Index p = total.mean.cols;
  for (Index c = 0; c < total.mean.rows; ++c) {
    const double added = part.weight[static_cast<std::size_t>(c)];
    if (added == 0.0) continue;
    const double before = total.weight[static_cast<std::size_t>(c)];
    const double after = before + added;
    const double* mean = part.mean.data() + c * p;
    const double* m2 = part.m2.data() + c * p;
    for (Index j = 0; j < p; ++j) {
      const double shift = mean[j] - total.mean(c, j);
      total.mean(c, j) += shift * (added / after);
      total.m2(c, j) += m2[j] + shift * shift * (before * (added / after));
    }
    total.weight[static_cast<std::size_t>(c)] = after;
  }
}

}  // namespace

template <class T>
void add_class_moments(View2D<const T> x, std::span<const std::int64_t> codes,
                       std::span<const double> weights, const ClassMoments& moments, int threads,
                       StopToken& stop) {
  const auto classes = static_cast<std::size_t>(moments.mean.rows);
  const auto columns = static_cast<std::size_t>(x.cols);
  const Index block_size = std::max<Index>(2048, block_count(x.rows, 64));
  const Index blocks = block_count(x.rows, block_size);
  std::vector<BlockMoments> parts(static_cast<std::size_t>(blocks), BlockMoments(classes, columns));
  const auto update = update_function<T>();

  parallel_ranges(x.rows, block_size, threads, stop, [&](Index first, Index last, int) {
    BlockMoments& part = parts[static_cast<std::size_t>(first / block_size)];
    for (Index i = first; i < last; ++i) {
      if (i % rows_between_polls == 0 && stop.poll()) return;
      const double w = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
      if (w == 0.0) continue;
      const auto c = static_cast<std::size_t>(codes[static_cast<std::size_t>(i)]);
      part.weight[c] += w;
      update(x.row(i), w, w / part.weight[c], part.mean.data() + c * columns, part.m2.data() + c * columns,
             x.cols);
    }
  });
  for (const BlockMoments& part : parts) merge(moments, part);
}

template <class T>
void gaussian_log_joint(View2D<const T> x, View2D<const double> mean, View2D<const double> precision,
                        std::span<const double> constant, View2D<double> out, int threads, StopToken& stop) {
  const auto distance = distance_function<T>();
  parallel_ranges(x.rows, 1024, threads, stop, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      if (i % rows_between_polls == 0 && stop.poll()) return;
      for (Index c = 0; c < mean.rows; ++c) {
        out(i, c) = constant[static_cast<std::size_t>(c)] -
                    0.5 * distance(x.row(i), mean.row(c), precision.row(c), x.cols);
      }
    }
  });
}

template void add_class_moments<float>(View2D<const float>, std::span<const std::int64_t>,
                                       std::span<const double>, const ClassMoments&, int, StopToken&);
template void add_class_moments<double>(View2D<const double>, std::span<const std::int64_t>,
                                        std::span<const double>, const ClassMoments&, int, StopToken&);
template void gaussian_log_joint<float>(View2D<const float>, View2D<const double>, View2D<const double>,
                                        std::span<const double>, View2D<double>, int, StopToken&);
template void gaussian_log_joint<double>(View2D<const double>, View2D<const double>, View2D<const double>,
                                         std::span<const double>, View2D<double>, int, StopToken&);

}  // namespace certus
