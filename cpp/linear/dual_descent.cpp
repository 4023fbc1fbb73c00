#include "linear/dual_descent.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "core/rng.hpp"

namespace certus::linear {
namespace {

struct DescentResult {
  Index passes = 0;
  bool converged = false;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Rows>
class Descent {
 public:
  Descent(const Rows& x, const BoxDual& dual, std::span<const double> squares, const DescentRule& rule,
          std::uint64_t stream, std::span<double> b, std::span<double> w, double* memory)
      : x_(x),
        dual_(dual),
        squares_(squares),
        rule_(rule),
        b_(b),
        w_(w),
        memory_(memory),
        rng_(rule.seed, stream) {
    for (Index i = 0; i < dual.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (dual.lower[at] < dual.upper[at]) rows_.push_back(i);  // others are fixed at 0: weight 0
    }
    active_ = rows_.size();
  }

  DescentResult run(StopToken& stop) {
    DescentResult result;
    double& first_sum = memory_[DescentMemory::first_sum];
    while (result.passes < rule_.max_passes && !stop.requested()) {
      const bool whole = active_ == rows_.size();
      pass(stop);
      ++result.passes;
      if (stop.requested()) break;
      if (rule_.stage == 0 && result.passes == 1) first_sum = sum_;
      if (!small_enough(first_sum)) {
        limit_ = largest_ > 0.0 ? largest_ : infinity;
        continue;
      }
      if (whole && (rule_.gap_tol <= 0.0 || measured_gap() <= rule_.gap_tol)) {
        result.converged = true;
        break;
      }
      if (whole) memory_[DescentMemory::tightening] += 1.0;  // the gap is not small enough yet
      active_ = rows_.size();                                // look at all rows again before believing it
      limit_ = infinity;
    }
    if (!result.converged && !stop.requested()) result.converged = measured_gap() <= rule_.gap_tol;
    return result;
  }

 private:
  // One pass over the active rows in random order; rows that are surely settled leave the active set.
  void pass(StopToken& stop) {
    largest_ = sum_ = 0.0;
    rng_.shuffle(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(active_));
    for (std::size_t at = 0; at < active_;) {
      if ((at & 255) == 0 && stop.poll()) return;
      const Index row = rows_[at];
      const auto i = static_cast<std::size_t>(row);
      const double old = b_[i];
      const double slope = x_.dot(row, w_.data()) - dual_.target[i] + dual_.ridge[i] * old;
      // Derivatives of the objective to the right and to the left.
      const double up = slope + (old >= 0.0 ? dual_.epsilon : -dual_.epsilon);
      const double down = slope + (old > 0.0 ? dual_.epsilon : -dual_.epsilon);
      const bool can_rise = old<dual_.upper[i], can_fall = old> dual_.lower[i];
      if ((!can_rise || up > limit_) && (!can_fall || down < -limit_)) {
        std::swap(rows_[at], rows_[--active_]);
        continue;
      }
      ++at;
      const double violation = std::max({can_rise ? -up : 0.0, can_fall ? down : 0.0, 0.0});
      largest_ = std::max(largest_, violation);
      sum_ += violation;
      if (violation <= 0.0) continue;
      const double curvature = squares_[i] + dual_.ridge[i];
      const double next = curvature > 0.0 ? dual_.best(i, -slope, curvature, old) : best_of_zero_row(i);
      if (next != old) {
        b_[i] = next;
        x_.add(row, next - old, w_.data());
      }
    }
  }

  // A row of zeros: the objective in its coefficient is -t b + epsilon |b|.
  double best_of_zero_row(std::size_t i) const {
    const double slope = -dual_.target[i];
    return slope < -dual_.epsilon ? dual_.upper[i] : (slope > dual_.epsilon ? dual_.lower[i] : 0.0);
  }

  bool small_enough(double first_sum) const {
    const double tol = rule_.tol * std::pow(0.1, memory_[DescentMemory::tightening]);
    return rule_.relative ? sum_ <= tol * first_sum : largest_ <= 0.5 * tol;
  }

  // Primal minus dual value, by one reading of the table.
  double measured_gap() {
    double primal = 0.0, dual = 0.0;
    for (const Index row : rows_) {
      const auto i = static_cast<std::size_t>(row);
      primal += dual_.loss(i, x_.dot(row, w_.data()));
      dual += dual_.value(i, b_[i]);
    }
    double length = 0.0;
    for (const double value : w_) length += value * value;
    memory_[DescentMemory::objective] = primal + 0.5 * length;
    return memory_[DescentMemory::gap] = primal - dual + length;
  }

  const Rows& x_;
  const BoxDual& dual_;
  std::span<const double> squares_;
  const DescentRule& rule_;
  std::span<double> b_, w_;
  double* memory_;
  Rng rng_;
  std::vector<Index> rows_;
  std::size_t active_ = 0;
  double limit_ = infinity, largest_ = 0.0, sum_ = 0.0;
};

}  // namespace

template <class Rows>
void dual_descent(const Rows& x, const BoxDualFamily& family, const DescentRule& rule, int threads,
                  StopToken& stop, DescentOutputs out) {
  std::vector<double> squares(static_cast<std::size_t>(x.rows()));
  parallel_ranges(x.rows(), 1024, threads, stop, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) squares[static_cast<std::size_t>(i)] = x.square(i);
  });
  parallel_for(family.target.rows, threads, stop, [&](Index k, int) {
    const BoxDual dual = family.member(k);
    const std::uint64_t stream =
        (rule.stage << 32) + static_cast<std::uint64_t>(out.numbers[static_cast<std::size_t>(k)]);
    const std::span<double> b(out.b.row(k), static_cast<std::size_t>(out.b.cols));
    const std::span<double> w(out.w.row(k), static_cast<std::size_t>(out.w.cols));
    const DescentResult result =
        Descent<Rows>(x, dual, squares, rule, stream, b, w, out.memory.row(k)).run(stop);
    out.passes[static_cast<std::size_t>(k)] = result.passes;
    out.converged[static_cast<std::size_t>(k)] = result.converged ? 1 : 0;
  });
}

#define CERTUS_INSTANTIATE(Rows)                                                                           \
  template void dual_descent<Rows>(const Rows&, const BoxDualFamily&, const DescentRule&, int, StopToken&, \
                                   DescentOutputs);
CERTUS_FOR_EVERY_TABLE(CERTUS_INSTANTIATE)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
