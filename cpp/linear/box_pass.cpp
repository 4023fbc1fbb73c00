#include "linear/box_pass.hpp"

#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace certus::linear {
namespace {

// Groups of rows by the problem's size alone; every group has its own partial sums.
Index group_rows(Index rows) { return std::max<Index>(256, (rows + 63) / 64); }

struct Envelope {
  const BoxDual& dual;
  double prox;
  std::span<const double> center;

  double curvature(std::size_t i) const { return dual.ridge[i] + prox; }
  double middle(std::size_t i) const { return prox > 0.0 ? prox * center[i] / curvature(i) : 0.0; }
  double best(std::size_t i, double score) const {
    return dual.best(i, dual.target[i] - score, curvature(i), middle(i));
  }
  double value(std::size_t i, double b, double score) const {
    const double away = prox > 0.0 ? b - center[i] : 0.0;
    return dual.value(i, b) - b * score - 0.5 * prox * away * away;
  }
};

}  // namespace

Index box_chain(Index rows) { return group_rows(rows) + 64; }

template <class Rows>
BoxSums box_pass(const Rows& x, const BoxDual& dual, double prox, std::span<const double> center,
                 std::span<const double> w, int threads, StopToken& stop, std::span<double> scores,
                 std::span<double> b, std::span<double> curvature, std::span<double> image) {
  const Index rows = x.rows(), size = group_rows(rows), groups = block_count(rows, size),
              width = x.cols() + 1;
  std::vector<double> images(static_cast<std::size_t>(groups * width));
  std::vector<BoxSums> sums(static_cast<std::size_t>(groups));
  const Envelope envelope{dual, prox, center};
  parallel_for(groups, threads, stop, [&](Index group, int) {
    double* mine = images.data() + group * width;
    BoxSums sum;
    for (Index row = group * size; row < std::min(rows, (group + 1) * size); ++row) {
      if ((row & 255) == 0 && stop.poll()) return;
      const auto i = static_cast<std::size_t>(row);
      const double score = x.dot(row, w.data());
      const double chosen = envelope.best(i, score);
      const bool free =
          chosen > dual.lower[i] && chosen < dual.upper[i] && (dual.epsilon == 0.0 || chosen != 0.0);
      scores[i] = score;
      b[i] = chosen;
      curvature[i] = free ? 1.0 / envelope.curvature(i) : 0.0;
      sum.loss += dual.loss(i, score);
      sum.dual += dual.value(i, chosen);
      sum.envelope += envelope.value(i, chosen, score);
      if (chosen != 0.0) x.add(row, chosen, mine);
    }
    sums[static_cast<std::size_t>(group)] = sum;
  });
  BoxSums total;
  std::fill(image.begin(), image.end(), 0.0);
  for (Index group = 0; group < groups; ++group) {
    const BoxSums& part = sums[static_cast<std::size_t>(group)];
    total.loss += part.loss;
    total.dual += part.dual;
    total.envelope += part.envelope;
    for (Index j = 0; j < width; ++j)
      image[static_cast<std::size_t>(j)] += images[static_cast<std::size_t>(group * width + j)];
  }
  return total;
}

double slope_along(const BoxDual& dual, double prox, std::span<const double> center,
                   std::span<const double> scores, std::span<const double> change, double step) {
  const Envelope envelope{dual, prox, center};
  double sum = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    sum += envelope.best(i, scores[i] + step * change[i]) * change[i];
  }
  return sum;
}

template <class T>
void row_gram(View2D<const T> x, double constant, std::span<const std::int64_t> rows,
              std::span<const double> weights, int threads, StopToken& stop, View2D<double> out) {
  const Index size = out.rows, count = static_cast<Index>(rows.size());
  const Index block = std::clamp<Index>((Index{1} << 16) / std::max<Index>(size, 1), 16, 512);
  const Index affordable = std::clamp<Index>((Index{1} << 23) / std::max<Index>(size * size, 1), 2, 16);
  const Index groups = std::min(affordable, std::max<Index>(block_count(count, block), 1));
  std::vector<double> sums(static_cast<std::size_t>(groups * size * size));
  std::vector<std::vector<double>> buffers(static_cast<std::size_t>(threads));
  parallel_for(groups, threads, stop, [&](Index group, int worker) {
    auto& buffer = buffers[static_cast<std::size_t>(worker)];
    buffer.resize(static_cast<std::size_t>(block * size));
    const Index last = (group + 1) * count / groups;
    double* sum = sums.data() + group * size * size;
    for (Index first = group * count / groups; first < last; first += block) {
      if (stop.poll()) return;
      const Index used = std::min(block, last - first);
      for (Index k = 0; k < used; ++k) {
        const auto at = static_cast<std::size_t>(first + k);
        const double root = std::sqrt(weights[at]);
        const T* row = x.row(static_cast<Index>(rows[at]));
        double* to = buffer.data() + k * size;
        for (Index j = 0; j < x.cols; ++j) to[j] = root * static_cast<double>(row[j]);
        if (size > x.cols) to[x.cols] = root * constant;
      }
      syrk_tn(size, used, 1.0, buffer.data(), size, 1.0, sum, size);
    }
  });
  for (Index i = 0; i < size; ++i) {
    for (Index j = i; j < size; ++j) {
      double total = 0.0;
      for (Index group = 0; group < groups; ++group) {
        total += sums[static_cast<std::size_t>((group * size + i) * size + j)];
      }
      out(i, j) = total;
      out(j, i) = total;
    }
  }
}

#define CERTUS_INSTANTIATE(Rows)                                                                \
  template BoxSums box_pass<Rows>(const Rows&, const BoxDual&, double, std::span<const double>, \
                                  std::span<const double>, int, StopToken&, std::span<double>,  \
                                  std::span<double>, std::span<double>, std::span<double>);
CERTUS_FOR_EVERY_TABLE(CERTUS_INSTANTIATE)
#undef CERTUS_INSTANTIATE
template void row_gram<float>(View2D<const float>, double, std::span<const std::int64_t>,
                              std::span<const double>, int, StopToken&, View2D<double>);
template void row_gram<double>(View2D<const double>, double, std::span<const std::int64_t>,
                               std::span<const double>, int, StopToken&, View2D<double>);

}  // namespace certus::linear
