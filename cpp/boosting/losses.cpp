#include "boosting/losses.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

constexpr Index rows_per_block = 8192;

struct Derivatives {
  double gradient, hessian;
};

struct Squared {
  static Derivatives derivatives(double y, double r, double) { return {r - y, 1.0}; }
  static double value(double y, double r, double) { return 0.5 * (y - r) * (y - r); }
};
struct Absolute {
  static Derivatives derivatives(double y, double r, double) { return {r > y ? 1.0 : -1.0, 1.0}; }
  static double value(double y, double r, double) { return std::abs(y - r); }
};
struct Quantile {
  static Derivatives derivatives(double y, double r, double share) {
    return {r > y ? 1.0 - share : -share, 1.0};
  }
  static double value(double y, double r, double share) { return (y - r) * (share - (y < r ? 1.0 : 0.0)); }
};
struct Poisson {
  static Derivatives derivatives(double y, double r, double) {
    const double mean = std::exp(r);
    return {mean - y, mean};
  }
  static double value(double y, double r, double) { return std::exp(r) - y * r; }
};
struct Gamma {
  static Derivatives derivatives(double y, double r, double) {
    const double ratio = y * std::exp(-r);
    return {1.0 - ratio, ratio};
  }
  static double value(double y, double r, double) { return r + y * std::exp(-r); }
};
struct Logistic {
  static Derivatives derivatives(double y, double r, double) {
    const double e = std::exp(-std::abs(r)), d = 1.0 / (1.0 + e);
    const double share = r >= 0.0 ? d : e * d;
    return {share - y, e * d * d};
  }
  static double value(double y, double r, double) {
    return std::max(r, 0.0) - y * r + std::log1p(std::exp(-std::abs(r)));
  }
};

template <class F>
auto with_loss(Loss loss, F&& f) {
  switch (loss) {
    case Loss::squared:
      return f(Squared{});
    case Loss::absolute:
      return f(Absolute{});
    case Loss::quantile:
      return f(Quantile{});
    case Loss::poisson:
      return f(Poisson{});
    case Loss::gamma:
      return f(Gamma{});
    default:
      return f(Logistic{});
  }
}

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
  with_loss(loss, [&](auto of) {
    parallel_ranges(static_cast<Index>(raw.size()), rows_per_block, threads, stop,
                    [&](Index first, Index last, int) {
                      for (Index row = first; row < last; ++row) {
                        const Derivatives d = of.derivatives(rows.target[row], raw[row], rows.share);
                        gradients[row] = d.gradient;
                        if (!hessians.empty()) hessians[row] = d.hessian;
                      }
                    });
  });
}

double mean_loss(Loss loss, const Rows& rows, std::span<const double> raw, int threads, StopToken& stop) {
  return with_loss(loss, [&](auto of) {
    return weighted_mean(rows, threads, stop,
                         [&](Index row) { return of.value(rows.target[row], raw[row], rows.share); });
  });
}

void class_shares(View2D<const double> raw, View2D<double> shares, int threads, StopToken& stop) {
  const Index classes = raw.rows;
  parallel_ranges(raw.cols, rows_per_block / 4, threads, stop, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      double largest = raw(0, row), total = 0.0;
      for (Index k = 1; k < classes; ++k) largest = std::max(largest, raw(k, row));
      for (Index k = 0; k < classes; ++k) total += shares(k, row) = std::exp(raw(k, row) - largest);
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
    double largest = raw(0, row), total = 0.0;
    for (Index k = 1; k < raw.rows; ++k) largest = std::max(largest, raw(k, row));
    for (Index k = 0; k < raw.rows; ++k) total += std::exp(raw(k, row) - largest);
    return largest + std::log(total) - raw(static_cast<Index>(rows.target[row]), row);
  });
}

}  // namespace certus::boosting
