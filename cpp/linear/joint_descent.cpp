#include "linear/joint_descent.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/rng.hpp"

namespace certus::linear {
namespace {

template <class Rows>
class Joint {
 public:
  Joint(const Rows& x, std::span<const std::int64_t> labels, std::span<const double> costs,
        const DescentRule& rule, View2D<double> a, View2D<double> w)
      : x_(x), labels_(labels), costs_(costs), rule_(rule), a_(a), w_(w), rng_(rule.seed, rule.stage << 32) {
    scores_.resize(static_cast<std::size_t>(w.rows));
    sorted_.resize(scores_.size());
    for (Index i = 0; i < x.rows(); ++i) {
      if (costs[static_cast<std::size_t>(i)] > 0.0) rows_.push_back(i);
    }
  }

  JointResult run(StopToken& stop) {
    double tol = rule_.tol;
    JointResult& result = result_;
    while (result.passes < rule_.max_passes) {
      const double violation = pass(stop);
      ++result.passes;
      if (stop.requested()) break;
      if (violation > tol) continue;
      if (rule_.gap_tol <= 0.0 || gap() <= rule_.gap_tol) {
        result.converged = true;
        break;
      }
      tol *= 0.1;
    }
    if (!result.converged && !stop.requested()) gap();
    return result;
  }

 private:
  double pass(StopToken& stop) {
    double largest = 0.0;
    rng_.shuffle(rows_.begin(), rows_.end());
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      if ((at & 255) == 0 && stop.poll()) return largest;
      const Index row = rows_[at];
      largest = std::max(largest, violation(row));
      improve(row);
    }
    return largest;
  }

  double bound(Index row, Index m) const {
    const auto i = static_cast<std::size_t>(row);
    return m == labels_[i] ? costs_[i] : 0.0;
  }

  // Derivatives of the dual objective: the scores of the classes plus the cost of the wrong ones. At the
  // optimum all classes that may still rise have the largest of them.
  double violation(Index row) {
    double largest = -1e300, least = 1e300;
    for (Index m = 0; m < w_.rows; ++m) {
      const double slope = x_.dot(row, w_.row(m)) + (m == labels_[static_cast<std::size_t>(row)] ? 0.0 : 1.0);
      scores_[static_cast<std::size_t>(m)] = slope;
      largest = std::max(largest, slope);
      if (a_(row, m) < bound(row, m)) least = std::min(least, slope);
    }
    return std::max(0.0, largest - least);
  }

  // The row's block exactly: a_m = min(bound_m, (level - B_m) / q), with the level that makes the sum 0.
  void improve(Index row) {
    const double q = x_.square(row);
    if (q <= 0.0) return;
    const Index classes = w_.rows;
    for (Index m = 0; m < classes; ++m) {
      auto& slope = scores_[static_cast<std::size_t>(m)];
      slope -= q * a_(row, m);
      sorted_[static_cast<std::size_t>(m)] = slope + q * bound(row, m);
    }
    std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
    double level = sorted_[0] - q * costs_[static_cast<std::size_t>(row)];
    Index used = 1;
    for (; used < classes && level < static_cast<double>(used) * sorted_[static_cast<std::size_t>(used)];
         ++used) {
      level += sorted_[static_cast<std::size_t>(used)];
    }
    level /= static_cast<double>(used);
    for (Index m = 0; m < classes; ++m) {
      const double next = std::min(bound(row, m), (level - scores_[static_cast<std::size_t>(m)]) / q);
      const double change = next - a_(row, m);
      if (change != 0.0) {
        a_(row, m) = next;
        x_.add(row, change, w_.row(m));
      }
    }
  }

  double gap() {
    double primal = 0.0, linear = 0.0, length = 0.0;
    for (const Index row : rows_) {
      violation(row);
      const auto label = static_cast<std::size_t>(labels_[static_cast<std::size_t>(row)]);
      const double largest = *std::max_element(scores_.begin(), scores_.end());
      primal += costs_[static_cast<std::size_t>(row)] * (largest - scores_[label]);
      for (Index m = 0; m < w_.rows; ++m) {
        if (m != static_cast<Index>(label)) linear += a_(row, m);
      }
    }
    for (Index m = 0; m < w_.rows; ++m) {
      for (Index j = 0; j < w_.cols; ++j) length += w_(m, j) * w_(m, j);
    }
    result_.objective = primal + 0.5 * length;
    return result_.gap = primal + length + linear;
  }

  const Rows& x_;
  std::span<const std::int64_t> labels_;
  std::span<const double> costs_;
  const DescentRule& rule_;
  View2D<double> a_, w_;
  Rng rng_;
  std::vector<Index> rows_;
  std::vector<double> scores_, sorted_;
  JointResult result_;
};

}  // namespace

template <class Rows>
JointResult joint_descent(const Rows& x, std::span<const std::int64_t> labels, std::span<const double> costs,
                          const DescentRule& rule, StopToken& stop, View2D<double> a, View2D<double> w) {
  return Joint<Rows>(x, labels, costs, rule, a, w).run(stop);
}

#define CERTUS_INSTANTIATE(Rows)                                                                    \
  template JointResult joint_descent<Rows>(const Rows&, std::span<const std::int64_t>,              \
                                           std::span<const double>, const DescentRule&, StopToken&, \
                                           View2D<double>, View2D<double>);
CERTUS_FOR_EVERY_TABLE(CERTUS_INSTANTIATE)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
