#include "linear/stochastic_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/loss_point.hpp"
#include "core/parallel.hpp"
#include "core/prefetch.hpp"
#include "core/rng.hpp"

namespace certus::linear {
namespace {

constexpr double largest_slope = 1e12;  // steps along steeper losses are cut, against overflow
constexpr double smallest_scale = 1e-5;
constexpr Index few_rows = 1 << 16;  // up to which any row may follow any other
constexpr Index group_rows = 16, window_rows = 1024;

// A random order of the rows. Reading a large table in a wholly random order costs a page walk for every row;
// so there groups of neighbors are shuffled, and then the rows inside windows of many groups.
void draw_order(Rng rng, std::vector<std::int32_t>& order) {
  const auto rows = static_cast<Index>(order.size());
  if (rows <= few_rows) {
    std::iota(order.begin(), order.end(), 0);
    rng.shuffle(order.begin(), order.end());
    return;
  }
  std::vector<std::int32_t> groups(static_cast<std::size_t>(block_count(rows, group_rows)));
  std::iota(groups.begin(), groups.end(), 0);
  rng.shuffle(groups.begin(), groups.end());
  auto to = order.begin();
  for (const Index group : groups) {
    const Index first = group * group_rows, count = std::min(group_rows, rows - first);
    std::iota(to, to + count, static_cast<std::int32_t>(first));
    to += count;
  }
  for (Index first = 0; first < rows; first += window_rows) {
    rng.shuffle(order.begin() + first, order.begin() + std::min(rows, first + window_rows));
  }
}

template <class Rows>
class Descent {
 public:
  Descent(const Rows& x, const StochasticProblem& problem, const StochasticOptions& options,
          const StochasticState& state)
      : x_(x), p_(problem), o_(options), s_(state), n_(state.numbers), v_(state.coef) {
    if (o_.rule == StepRule::optimal) {
      const double typical = std::sqrt(1.0 / std::sqrt(o_.alpha));
      const double slope = loss_point(o_.loss, 1.0, -typical).slope;
      first_step_ = std::max(1.0, slope) / (typical * o_.alpha);
    }
    for (const double value : v_) length_ += value * value, l1_ += std::abs(value);
    if (!s_.average.empty()) {
      const double averaged = std::max(0.0, number(S::steps) - static_cast<double>(o_.average_from));
      for (double& value : s_.average) value *= averaged;  // a sum from here on
      average_intercept_ = number(S::average_intercept) * averaged;
    }
  }

  // One pass over the rows; the mean objective along the way.
  double epoch(const std::vector<std::int32_t>& order, StopToken& stop) {
    double total = 0.0;
    Index used = 0;
    const auto rows = static_cast<Index>(order.size());
    for (Index at = 0; at < rows; ++at) {
      if ((at & 255) == 0 && stop.poll()) return 0.0;
      if (at + ahead < rows) {
        const Index soon = order[static_cast<std::size_t>(at + ahead)];
        x_.prefetch(soon);
        prefetch_line(&p_.target[static_cast<std::size_t>(soon)]);
      }
      const Index row = order[static_cast<std::size_t>(at)];
      if (!p_.held.empty() && p_.held[static_cast<std::size_t>(row)]) continue;
      total += learn(row);
      ++used;
    }
    settle();
    return used > 0 ? total / static_cast<double>(used) : 0.0;
  }

  // Accuracy or R^2 on the rows that were held out.
  double validation_score() const {
    double weight = 0.0, right = 0.0, squares = 0.0, sum = 0.0, target_squares = 0.0;
    for (Index row = 0; row < x_.rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (!p_.held[i]) continue;
      const double w = weight_of(i), y = p_.target[i];
      const double f = x_.dot(row, v_.data()) + number(S::intercept);
      weight += w;
      right += (f > 0.0) == (y > 0.0) ? w : 0.0;
      squares += w * (y - f) * (y - f);
      sum += w * y;
      target_squares += w * y * y;
    }
    if (o_.classifies) return right / weight;
    const double spread = target_squares - sum * sum / weight;
    return spread > 0.0 ? 1.0 - squares / spread : (squares > 0.0 ? 0.0 : 1.0);
  }

  bool finite() const {
    return std::isfinite(number(S::intercept)) &&
           std::all_of(v_.begin(), v_.end(), [](double value) { return std::isfinite(value); });
  }

  // The average itself again; call when no further rows come.
  void finish() {
    if (s_.average.empty()) return;
    const double averaged = number(S::steps) - static_cast<double>(o_.average_from);
    if (averaged <= 0.0) return;
    for (double& value : s_.average) value /= averaged;
    number(S::average_intercept) = average_intercept_ / averaged;
  }

  double& number(StochasticState::Number which) const { return n_[which]; }

 private:
  using S = StochasticState;
  static constexpr Index ahead = 10;

  double weight_of(std::size_t i) const { return p_.weights.empty() ? 1.0 : p_.weights[i]; }

  double step_size() {
    const double t = number(S::steps);
    switch (o_.rule) {
      case StepRule::optimal:
        return 1.0 / (o_.alpha * (first_step_ + t - 1.0));
      case StepRule::invscaling:
        return o_.eta0 / std::pow(t, o_.power_t);
      case StepRule::pegasos:
        return 1.0 / (o_.alpha * (t + 1.0));
      default:
        return number(S::step_size);
    }
  }

  // The multiple of x that is added to w, before weights.
  double update_for(Index row, double y, const LossPoint& loss, double step, double score) const {
    if (o_.rule == StepRule::pa1 || o_.rule == StepRule::pa2) {
      const double square = x_.square(row);
      double size = 0.0;
      if (o_.rule == StepRule::pa2) {
        size = loss.value / (square + 0.5 / o_.eta0);
      } else if (square > 0.0) {
        size = std::min(o_.eta0, loss.value / square);
      }
      return o_.classifies ? size * y : (y < score ? -size : size);
    }
    return -step * std::clamp(loss.slope, -largest_slope, largest_slope);
  }

  double learn(Index row) {
    const auto i = static_cast<std::size_t>(row);
    const double y = p_.target[i], inner = scale_ * x_.dot(row, v_.data());
    const double score = inner + number(S::intercept), step = step_size();
    const LossPoint loss = loss_point(o_.loss, y, score);
    double objective = loss.value;
    if (o_.rule != StepRule::pa1 && o_.rule != StepRule::pa2) {
      if (o_.ridge) objective += 0.5 * o_.alpha * (1.0 - o_.l1_ratio) * scale_ * scale_ * length_;
      if (o_.truncate) objective += o_.alpha * o_.l1_ratio * scale_ * l1_;
    }
    const double update = update_for(row, y, loss, step, score) * weight_of(i);
    if (o_.ridge) shrink(std::max(0.0, 1.0 - (1.0 - o_.l1_ratio) * step * o_.alpha));
    if (update != 0.0) {
      add(row, update / scale_, inner / before_shrink_);
      number(S::updates) += 1.0;
    }
    if (o_.fit_intercept) number(S::intercept) += update * o_.intercept_decay;
    if (o_.average_from > 0 && number(S::steps) >= static_cast<double>(o_.average_from)) {
      scales_ += scale_;
      average_intercept_ += number(S::intercept);
    }
    if (o_.truncate) truncate(row, step);
    number(S::steps) += 1.0;
    return objective;
  }

  void shrink(double factor) {
    before_shrink_ = scale_;
    if (factor == 0.0) {  // w = 0 from here on, in whatever scale
      absorb();
      std::fill(v_.begin(), v_.end(), 0.0);
      length_ = l1_ = 0.0;
      before_shrink_ = std::numeric_limits<double>::infinity();  // the inner product is 0 now
      scale_ = 1.0;
      return;
    }
    scale_ *= factor;
    if (scale_ < smallest_scale) {
      const double small = scale_;
      rescale();
      before_shrink_ /= small;
    }
  }

  // v += change x. The sum of all w so far is scales_ v + average, so the average takes the opposite change.
  void add(Index row, double change, double inner_of_v) {
    if (o_.ridge) length_ += change * (2.0 * inner_of_v + change * x_.square(row));
    if (o_.truncate) {
      x_.each(row, [&](Index j, double value) {
        double& to = v_[static_cast<std::size_t>(j)];
        l1_ -= std::abs(to);
        to += change * value;
        l1_ += std::abs(to);
      });
    } else {
      x_.add(row, change, v_.data());
    }
    if (!s_.average.empty() && scales_ != 0.0) x_.add(row, -scales_ * change, s_.average.data());
  }

  // L1 part: every coefficient of the row moves towards 0 by what it has not yet paid of the total so far.
  void truncate(Index row, double step) {
    double& total = number(S::l1_total);
    total += o_.l1_ratio * step * o_.alpha;
    x_.each(row, [&](Index j, double) {
      const auto at = static_cast<std::size_t>(j);
      double& value = v_[at];
      const double old = value;
      if (old > 0.0) {
        value = std::max(0.0, old - (total + s_.l1_taken[at]) / scale_);
      } else if (old < 0.0) {
        value = std::min(0.0, old + (total - s_.l1_taken[at]) / scale_);
      }
      const double change = value - old;
      s_.l1_taken[at] += scale_ * change;
      l1_ += std::abs(value) - std::abs(old);
      length_ += value * value - old * old;
      if (!s_.average.empty()) s_.average[at] -= scales_ * change;
    });
  }

  // scales_ v joins the running sum, which is then complete without it.
  void absorb() {
    if (s_.average.empty() || scales_ == 0.0) return;
    for (std::size_t j = 0; j < v_.size(); ++j) s_.average[j] += scales_ * v_[j];
    scales_ = 0.0;
  }

  void rescale() {
    absorb();
    for (double& value : v_) value *= scale_;
    scale_ = 1.0;
    length_ = l1_ = 0.0;
    for (const double value : v_) length_ += value * value, l1_ += std::abs(value);
  }

  void settle() {
    absorb();
    rescale();
  }

  const Rows& x_;
  const StochasticProblem& p_;
  const StochasticOptions& o_;
  const StochasticState& s_;
  std::span<double> n_, v_;
  double scale_ = 1.0, before_shrink_ = 1.0, length_ = 0.0, l1_ = 0.0;
  double scales_ = 0.0, average_intercept_ = 0.0, first_step_ = 0.0;
};

}  // namespace

template <class Rows>
void stochastic_descent(const Rows& x, const StochasticProblem& problem, const StochasticOptions& options,
                        Index number, Index epochs, StopToken& stop, const StochasticState& state) {
  using S = StochasticState;
  Descent<Rows> descent(x, problem, options, state);
  std::vector<std::int32_t> order(static_cast<std::size_t>(x.rows()));
  const bool validates = !problem.held.empty();
  for (Index done = 0; done < epochs && descent.number(S::finished) == 0.0; ++done) {
    const auto epoch = static_cast<std::uint64_t>(descent.number(S::epochs));
    if (options.shuffle) {
      draw_order(Rng(options.seed, ((epoch + 1) << 32) + static_cast<std::uint64_t>(number)), order);
    } else {
      std::iota(order.begin(), order.end(), 0);
    }
    const double objective = descent.epoch(order, stop);
    if (stop.requested()) return;
    descent.number(S::epochs) += 1.0;
    descent.number(S::objective) = objective;
    if (!descent.finite()) {
      descent.number(S::overflow) = descent.number(S::finished) = 1.0;
      break;
    }
    // The larger the better: minus the objective, or the score of the rows held out.
    const double merit = validates ? descent.validation_score() : -objective;
    double& best = descent.number(S::best);
    double& waited = descent.number(S::waited);
    waited = merit < best + options.tol ? waited + 1.0 : 0.0;
    best = std::max(best, merit);
    if (waited < static_cast<double>(options.patience)) continue;
    double& step = descent.number(S::step_size);
    if (options.rule == StepRule::adaptive && step > 1e-6) {
      step /= 5.0;
      waited = 0.0;
    } else {
      descent.number(S::finished) = 1.0;
    }
  }
  descent.finish();
}

template <class T>
static std::span<T> row_of(View2D<T> matrix, Index row) {
  if (matrix.rows == 0 || matrix.cols == 0) return {};
  return {matrix.row(row), static_cast<std::size_t>(matrix.cols)};
}

template <class Rows>
void stochastic_descents(const Rows& x, const StochasticProblems& problems, const StochasticOptions& options,
                         Index epochs, int threads, StopToken& stop, const StochasticStates& states) {
  parallel_for(problems.targets.rows, threads, stop, [&](Index k, int) {
    const StochasticProblem problem{row_of(problems.targets, k), row_of(problems.weights, k), problems.held};
    const StochasticState state{row_of(states.coef, k), row_of(states.average, k), row_of(states.l1_taken, k),
                                row_of(states.numbers, k)};
    stochastic_descent(x, problem, options, k, epochs, stop, state);
  });
}

#define CERTUS_INSTANTIATE(Rows)                                                                            \
  template void stochastic_descent<Rows>(const Rows&, const StochasticProblem&, const StochasticOptions&,   \
                                         Index, Index, StopToken&, const StochasticState&);                 \
  template void stochastic_descents<Rows>(const Rows&, const StochasticProblems&, const StochasticOptions&, \
                                          Index, int, StopToken&, const StochasticStates&);
CERTUS_FOR_EVERY_TABLE(CERTUS_INSTANTIATE)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
