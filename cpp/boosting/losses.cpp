#include "boosting/losses.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

constexpr Index rows_per_block = 8192;

struct Mean {
  double sum = 0.0, weight = 0.0;
};

template <class Value>
double weighted_mean(const Rows& rows, int threads, StopToken& stop, Value value) {
  const Index count = static_cast<Index>(rows.target.size());
  const Mean mean = ordered_reduce(
      block_count(count, rows_per_block), threads, stop, Mean{},
      [&](Index block) {
        Mean part;
        const Index last = std::min(count, (block + 1) * rows_per_block);
        for (Index row = block * rows_per_block; row < last; ++row) {
          const double weight = rows.weights.empty() ? 1.0 : rows.weights[row];
          part.sum += weight * value(row);
          part.weight += weight;
        }
        return part;
      },
      [](Mean all, const Mean& part) { return Mean{all.sum + part.sum, all.weight + part.weight}; });
  return mean.sum / mean.weight;
}

}  // namespace

void loss_gradients(Loss loss, const Rows& rows, std::span<const double> raw, std::span<double> gradients,
                    std::span<double> hessians, int threads, StopToken& stop) {
  with_loss(loss.kind, [&](auto tag) {
    using L = typename decltype(tag)::type;
    parallel_ranges(static_cast<Index>(raw.size()), rows_per_block, threads, stop,
                    [&](Index first, Index last, int) {
                      for (Index row = first; row < last; ++row) {
                        const L at(rows.target[row], raw[row], loss.parameter);
                        gradients[row] = at.slope();
                        if (!hessians.empty()) hessians[row] = at.curvature();
                      }
                    });
  });
}

double mean_loss(Loss loss, const Rows& rows, std::span<const double> raw, int threads, StopToken& stop) {
  return with_loss(loss.kind, [&](auto tag) {
    using L = typename decltype(tag)::type;
    return weighted_mean(rows, threads, stop,
                         [&](Index row) { return L(rows.target[row], raw[row], loss.parameter).value(); });
  });
}

void class_shares(View2D<const double> raw, View2D<double> shares, int threads, StopToken& stop) {
  const Index classes = raw.rows;
  parallel_ranges(raw.cols, rows_per_block / 4, threads, stop, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      const double total = losses::exponentials(
                               classes, [&](Index k) { return raw(k, row); },
                               [&](Index k) -> double& { return shares(k, row); })
                               .total;
      for (Index k = 0; k < classes; ++k) shares(k, row) /= total;
    }
  });
}

void class_gradients(std::span<const double> target, std::span<const double> shares, Index label,
                     std::span<double> gradients, std::span<double> hessians, int threads, StopToken& stop) {
  const double wanted = static_cast<double>(label);
  parallel_ranges(static_cast<Index>(shares.size()), rows_per_block, threads, stop,
                  [&](Index first, Index last, int) {
                    for (Index row = first; row < last; ++row) {
                      const double share = shares[row];
                      gradients[row] = share - (target[row] == wanted ? 1.0 : 0.0);
                      hessians[row] = share * (1.0 - share);
                    }
                  });
}

double mean_class_loss(const Rows& rows, View2D<const double> raw, int threads, StopToken& stop) {
  return weighted_mean(rows, threads, stop, [&](Index row) {
    double unused;
    const auto [largest, total] = losses::exponentials(
        raw.rows, [&](Index k) { return raw(k, row); }, [&](Index) -> double& { return unused; });
    return largest + std::log(total) - raw(static_cast<Index>(rows.target[row]), row);
  });
}

}  // namespace certus::boosting
