#include "online/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/vector_ops.hpp"
#include "online/advice_ops.hpp"
#include "online/sums.hpp"

namespace certus::online {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest = 1e-300;  // nobody is lost for good where nothing is shared

double entropy_term(double y, double p) {
  if (y == 0.0) return 0.0;
  return p > 0.0 ? y * std::log(y / p) : infinity;
}

double loss_of(AdviceLoss loss, double y, double p) {
  switch (loss) {
    case AdviceLoss::log:
      return entropy_term(y, p) + entropy_term(1.0 - y, 1.0 - p);
    case AdviceLoss::square:
      return (y - p) * (y - p);
    default:
      return std::fabs(y - p);
  }
}

class Forecaster {
 public:
  Forecaster(const ForecastRule& rule, const ForecastState& state)
      : rule_(rule),
        state_(state),
        n_(static_cast<Index>(state.losses.size())),
        v_(n_),
        lost_(n_),
        buffer_(n_),
        scratch_(static_cast<std::size_t>(std::max<Index>(1, state.best.rows))) {}

  // Fills in the normalized weights of the experts that are awake, and predicts.
  double predict(const double* x) {
    set_weights(x);
    if (rule_.loss == AdviceLoss::log || !rule_.substitution) return average(x);
    // The middle of all predictions whose loss is at most c times the mixture's, whatever the label.
    const double most = reach(potential(x, 0.0)), least = 1.0 - reach(potential(x, 1.0));
    return std::clamp(0.5 * (most + least), 0.0, 1.0);
  }

  // False, with the state as it was, if all weight would vanish.
  bool learn(const double* x, double y, double prediction) {
    if (rule_.loss == AdviceLoss::square && rule_.share == Share::fixed && state_.best.rows == 1 && n_ > 1) {
      learn_fused(x, y, prediction);
      return true;
    }
    for (Index i = 0; i < n_; ++i) lost_[i] = awake(x, i) ? loss_of(rule_.loss, y, x[i]) : 0.0;
    bool lives = rule_.loss != AdviceLoss::log;  // the other losses are finite
    for (Index i = 0; i < n_ && !lives; ++i) lives = v_[i] > 0.0 && lost_[i] < infinity;
    if (!lives) return false;
    const double paid = loss_of(rule_.loss, y, prediction);
    if (rule_.share == Share::none) {
      rule_.asleep ? learn_while_awake(x, paid) : learn_static();
    } else {
      learn_shared();
    }
    state_.sums[0] += paid;
    state_.sums[1] += 1.0;
    state_.sums[2] += sum_of(n_, [&](Index i) { return lost_[i]; }) / static_cast<double>(n_);
    if (state_.best.rows > 0) extend_sequences({lost_.data(), lost_.size()}, state_.best, scratch_);
    return true;
  }

 private:
  bool awake(const double* x, Index i) const { return !rule_.asleep || !std::isnan(x[i]); }

  void set_weights(const double* x) {
    if (rule_.share != Share::none) {
      std::copy(state_.weights.begin(), state_.weights.end(), v_.begin());
      return;
    }
    double top = -infinity;
    for (Index i = 0; i < n_; ++i) {
      v_[i] = awake(x, i) ? log_weight(i) : -infinity;
      top = std::max(top, v_[i]);
    }
    for (Index i = 0; i < n_; ++i) v_[i] -= top;
    exponentiate(v_.data());
    for (Index i = 0; i < n_ && rule_.asleep; ++i) {
      if (!awake(x, i)) v_[i] = 0.0;
    }
    const double total = sum_of(n_, [&](Index i) { return v_[i]; });
    for (double& weight : v_) weight /= total;
  }

  // exp of numbers that are not positive; infinite losses must give exactly nothing, which the vector loop
  // does not.
  void exponentiate(double* x) const {
    if (rule_.loss != AdviceLoss::log && !rule_.asleep) {
      vector_ops().exp_negative(x, n_);
      return;
    }
    for (Index i = 0; i < n_; ++i) x[i] = std::exp(x[i]);
  }

  // Of specialists the weights change by what they lost beyond the mixture while awake: state.weights holds
  // it.
  double log_weight(Index i) const {
    return rule_.asleep ? state_.weights[i] : state_.weights[i] - rule_.eta * state_.losses[i];
  }

  double average(const double* x) const {
    const double mean = rule_.asleep ? sum_of(n_, [&](Index i) { return v_[i] > 0.0 ? v_[i] * x[i] : 0.0; })
                                     : vector_ops().dot_d(v_.data(), x, n_);
    return rule_.loss == AdviceLoss::log ? std::clamp(mean, 0.0, 1.0) : mean;
  }

  // How far from the label a prediction may be.
  double reach(double mixed) const {
    const double allowed = std::max(0.0, rule_.factor * mixed);
    return rule_.loss == AdviceLoss::square ? std::sqrt(allowed) : allowed;
  }

  // -ln sum_i v_i exp(-eta L(y, x_i))
  double potential(const double* x, double y) {
    for (Index i = 0; i < n_; ++i) buffer_[i] = awake(x, i) ? -rule_.eta * loss_of(rule_.loss, y, x[i]) : 0.0;
    exponentiate(buffer_.data());
    return -std::log(vector_ops().dot_d(v_.data(), buffer_.data(), n_));
  }

  // Fixed Share for the square loss with one comparator, in two passes.
  void learn_fused(const double* x, double y, double prediction) {
    const AdviceOps& ops = advice_ops();
    const LossSums sums = ops.square_losses(v_.data(), x, y, rule_.eta, state_.losses.data(),
                                            state_.best.row(0), buffer_.data(), n_);
    const double each = rule_.alpha / static_cast<double>(n_ - 1);
    ops.affine(buffer_.data(), (1.0 - rule_.alpha - each) / sums.mixed, each, smallest, state_.weights.data(),
               n_);
    state_.sums[0] += (y - prediction) * (y - prediction);
    state_.sums[1] += 1.0;
    state_.sums[2] += sums.lost / static_cast<double>(n_);
  }

  void learn_static() {
    for (Index i = 0; i < n_; ++i) state_.losses[i] += lost_[i];
  }

  // The weight of all who are awake together stays what it was.
  void learn_while_awake(const double* x, double paid) {
    double mixed = 0.0;
    for (Index i = 0; i < n_; ++i) mixed += awake(x, i) ? v_[i] * std::exp(-rule_.eta * lost_[i]) : 0.0;
    const double level = -std::log(mixed);
    for (Index i = 0; i < n_; ++i) {
      if (!awake(x, i)) continue;
      state_.losses[i] += lost_[i];
      state_.aside[i] += paid - lost_[i];
      state_.weights[i] += level - rule_.eta * lost_[i];
    }
  }

  void learn_shared() {
    for (Index i = 0; i < n_; ++i) buffer_[i] = -rule_.eta * lost_[i];
    exponentiate(buffer_.data());
    for (Index i = 0; i < n_; ++i) buffer_[i] *= v_[i];
    const double total = sum_of(n_, [&](Index i) { return buffer_[i]; });
    for (Index i = 0; i < n_; ++i) {
      state_.losses[i] += lost_[i];
      buffer_[i] /= total;
    }
    if (n_ == 1) return;
    share();
    for (double& weight : state_.weights) weight = std::max(weight, smallest);
  }

  void share() {
    switch (rule_.share) {
      case Share::fixed:
        return share_fixed();
      case Share::variable:
        return share_variable();
      case Share::past:
        return share_past();
      default:
        return raise_to_floor();
    }
  }

  void share_fixed() {
    const double each = rule_.alpha / static_cast<double>(n_ - 1);
    for (Index i = 0; i < n_; ++i) {
      state_.weights[i] = (1.0 - rule_.alpha) * buffer_[i] + each * (1.0 - buffer_[i]);
    }
  }

  // s_i = 1 - (1-alpha)^{loss}
  void share_variable() {
    const double rate = rule_.alpha < 1.0 ? std::log1p(-rule_.alpha) : -infinity;
    for (Index i = 0; i < n_; ++i) {
      const double stays = lost_[i] > 0.0 ? std::exp(rate * lost_[i]) : 1.0;
      v_[i] = stays * buffer_[i];
      buffer_[i] -= v_[i];  // what is given to the others
    }
    const double pool = sum_of(n_, [&](Index i) { return buffer_[i]; });
    const double each = 1.0 / static_cast<double>(n_ - 1);
    for (Index i = 0; i < n_; ++i) state_.weights[i] = v_[i] + each * (pool - buffer_[i]);
  }

  // (1-alpha) of this trial's weights, alpha of the mean of all earlier ones, the start among them.
  void share_past() {
    const double past = state_.sums[1] + 1.0;
    for (Index i = 0; i < n_; ++i) {
      state_.weights[i] = (1.0 - rule_.alpha) * buffer_[i] + rule_.alpha * state_.aside[i] / past;
      state_.aside[i] += buffer_[i];
    }
  }

  // The nearest weights by relative entropy that are at least alpha / n: who is below is raised, the others
  // shrink by one factor, until nobody falls below.
  void raise_to_floor() {
    const double floor = rule_.alpha / static_cast<double>(n_);
    std::vector<char> raised(static_cast<std::size_t>(n_), 0);
    for (;;) {
      double free = 0.0;
      Index low = 0;
      for (Index i = 0; i < n_; ++i) {
        if (raised[i]) {
          low += 1;
        } else {
          free += buffer_[i];
        }
      }
      const double scale = low == n_ ? 0.0 : (1.0 - floor * static_cast<double>(low)) / free;
      bool changed = false;
      for (Index i = 0; i < n_; ++i) {
        if (raised[i] || buffer_[i] * scale >= floor) continue;
        raised[i] = 1;
        changed = true;
      }
      if (changed) continue;
      for (Index i = 0; i < n_; ++i) state_.weights[i] = raised[i] ? floor : buffer_[i] * scale;
      return;
    }
  }

  const ForecastRule& rule_;
  const ForecastState& state_;
  Index n_;
  std::vector<double> v_, lost_, buffer_, scratch_;
};

}  // namespace

void extend_sequences(std::span<const double> losses, View2D<double> best, std::span<double> scratch) {
  const Index n = best.cols;
  for (Index k = 0; k + 1 < best.rows; ++k) scratch[k] = *std::min_element(best.row(k), best.row(k) + n);
  for (Index k = best.rows - 1; k >= 0; --k) {
    double* row = best.row(k);
    const double before = k > 0 ? scratch[k - 1] : infinity;
    for (Index i = 0; i < n; ++i) row[i] = std::min(row[i], before) + losses[i];
  }
}

void predict_advice(View2D<const double> advice, const ForecastRule& rule, const ForecastState& state,
                    std::span<double> predictions, StopToken& stop) {
  Forecaster forecaster(rule, state);
  for (Index t = 0; t < advice.rows && !stop.poll(); ++t) predictions[t] = forecaster.predict(advice.row(t));
}

Index learn_advice(View2D<const double> advice, std::span<const double> labels, const ForecastRule& rule,
                   const ForecastState& state, std::span<double> predictions, StopToken& stop) {
  Forecaster forecaster(rule, state);
  for (Index t = 0; t < advice.rows && !stop.poll(); ++t) {
    predictions[t] = forecaster.predict(advice.row(t));
    if (!forecaster.learn(advice.row(t), labels[t], predictions[t])) return t;
  }
  return advice.rows;
}

}  // namespace certus::online
