#include "cluster/line_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace certus::cluster {
namespace {

// The unevaluated sum of two doubles, the second a rounding error of the first.
struct Pair {
  double high = 0.0, low = 0.0;
};

Pair two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

Pair two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

Pair operator+(Pair a, Pair b) {
  const Pair high = two_sum(a.high, b.high);
  return two_sum(high.high, high.low + a.low + b.low);
}

Pair operator-(Pair a, Pair b) { return a + Pair{-b.high, -b.low}; }

class Line {
 public:
  Line(std::span<const double> values, std::span<const double> weights)
      : sums_(values.size() + 1), firsts_(values.size() + 1), squares_(values.size() + 1) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Pair first = two_product(weights[i], values[i]);
      const Pair square = two_product(first.high, values[i]);
      sums_[i + 1] = sums_[i] + Pair{weights[i], 0.0};
      firsts_[i + 1] = firsts_[i] + first;
      squares_[i + 1] = squares_[i] + Pair{square.high, square.low + first.low * values[i]};
    }
  }

  // The cost of rows first..last-1 around their mean.
  double cost(Index first, Index last) const {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(last);
    const Pair weight = sums_[b] - sums_[a], total = firsts_[b] - firsts_[a],
               square = squares_[b] - squares_[a];
    if (!(weight.high > 0.0)) return 0.0;
    // total^2 / weight in twice the precision: a quotient and the quotient of what it leaves.
    Pair product = two_product(total.high, total.high);
    product.low += 2.0 * total.high * total.low;
    const double quotient = product.high / weight.high;
    const double left = std::fma(-quotient, weight.high, product.high) + product.low - quotient * weight.low;
    const Pair rest = square - Pair{quotient, left / weight.high};
    return std::max(0.0, rest.high + rest.low);
  }

 private:
  std::vector<Pair> sums_, firsts_, squares_;
};

class Table {
 public:
  Table(const Line& line, Index rows, StopToken& stop)
      : line_(line), stop_(stop), before_(static_cast<std::size_t>(rows + 1)), now_(before_) {
    for (Index j = 1; j <= rows; ++j) now_[static_cast<std::size_t>(j)] = line.cost(0, j);
  }

  // Allows one more cluster.
  void add_cluster() {
    std::swap(before_, now_);
    fill(1, static_cast<Index>(now_.size()) - 1, 0, static_cast<Index>(now_.size()) - 1);
  }

  double result() const { return now_.back(); }

 private:
  // now_[j] for first <= j <= last, whose best last runs begin in low..high.
  void fill(Index first, Index last, Index low, Index high) {
    if (first > last || stop_.poll()) return;
    const Index middle = first + (last - first) / 2;
    double best = std::numeric_limits<double>::infinity();
    Index where = low;
    for (Index i = low; i <= std::min(high, middle); ++i) {
      const double found = before_[static_cast<std::size_t>(i)] + line_.cost(i, middle);
      if (found < best) best = found, where = i;
    }
    now_[static_cast<std::size_t>(middle)] = best;
    fill(first, middle - 1, low, where);
    fill(middle + 1, last, where, high);
  }

  const Line& line_;
  StopToken& stop_;
  std::vector<double> before_, now_;
};

}  // namespace

double line_cost(std::span<const double> values, std::span<const double> weights, Index clusters,
                 StopToken& stop) {
  const auto rows = static_cast<Index>(values.size());
  const Line line(values, weights);
  Table table(line, rows, stop);
  for (Index c = 1; c < std::min(clusters, rows) && !stop.requested(); ++c) table.add_cluster();
  return table.result();
}

}  // namespace certus::cluster
