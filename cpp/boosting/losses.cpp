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

// Adds up losses of rows. Logarithms of sums without weights are collected as the logarithm of a product,
// which saves one for every row.
class LossSum {
 public:
  void add(double value) { sum_ += value; }
  void add_logarithm(double of) {  // of a number from 1 up to some thousands
    product_ *= of;
    if (product_ > 1e250) {
      sum_ += std::log(product_);
      product_ = 1.0;
    }
  }
  double total() const { return sum_ + std::log(product_); }

 private:
  double sum_ = 0.0, product_ = 1.0;
};

template <class L>
void add_loss(LossSum& sum, const L& at) {
  sum.add(at.value());
}

void add_loss(LossSum& sum, const losses::Logistic& at) {
  sum.add(std::max(at.f, 0.0) - at.y * at.f);
  sum.add_logarithm(1.0 + at.decay);
}

// The mean over blocks of rows of which `part(first, last)` gives the sums.
template <class Part>
double mean_over(Index count, Index block_rows, int threads, StopToken& stop, Part part) {
  const Mean mean = ordered_reduce(
      block_count(count, block_rows), threads, stop, Mean{},
      [&](Index block) { return part(block * block_rows, std::min(count, (block + 1) * block_rows)); },
      [](Mean all, const Mean& part) { return Mean{all.sum + part.sum, all.weight + part.weight}; });
  return mean.sum / mean.weight;
}

template <class Value>
double weighted_mean(const Rows& rows, int threads, StopToken& stop, Value value) {
  return mean_over(static_cast<Index>(rows.target.size()), rows_per_block, threads, stop,
                   [&](Index first, Index last) {
                     Mean part;
                     for (Index row = first; row < last; ++row) {
                       const double weight = rows.weights.empty() ? 1.0 : rows.weights[row];
                       part.sum += weight * value(row);
                       part.weight += weight;
                     }
                     return part;
                   });
}

}  // namespace

double loss_gradients(Loss loss, const Rows& rows, std::span<const double> raw, std::span<double> gradients,
                      std::span<double> hessians, int threads, StopToken& stop) {
  return with_loss(loss.kind, [&](auto tag) {
    using L = typename decltype(tag)::type;
    return mean_over(
        static_cast<Index>(raw.size()), rows_per_block, threads, stop, [&](Index first, Index last) {
          LossSum sum;
          double weight = 0.0;
          for (Index row = first; row < last; ++row) {
            const L at(rows.target[row], raw[row], loss.parameter);
            gradients[row] = at.slope();
            if (!hessians.empty()) hessians[row] = at.curvature();
            if (rows.weights.empty()) {
              add_loss(sum, at);
            } else {
              sum.add(rows.weights[row] * at.value());
              weight += rows.weights[row];
            }
          }
          return Mean{sum.total(), rows.weights.empty() ? static_cast<double>(last - first) : weight};
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

double class_shares_and_loss(const Rows& rows, View2D<const double> raw, View2D<double> shares, int threads,
                             StopToken& stop) {
  const Index classes = raw.rows;
  return mean_over(raw.cols, rows_per_block / 4, threads, stop, [&](Index first, Index last) {
    LossSum sum;
    double weight = 0.0;
    for (Index row = first; row < last; ++row) {
      const auto [largest, total] = losses::exponentials(
          classes, [&](Index k) { return raw(k, row); }, [&](Index k) -> double& { return shares(k, row); });
      for (Index k = 0; k < classes; ++k) shares(k, row) /= total;
      const double behind = largest - raw(static_cast<Index>(rows.target[row]), row);
      if (rows.weights.empty()) {
        sum.add(behind);
        sum.add_logarithm(total);
      } else {
        sum.add(rows.weights[row] * (behind + std::log(total)));
        weight += rows.weights[row];
      }
    }
    return Mean{sum.total(), rows.weights.empty() ? static_cast<double>(last - first) : weight};
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
