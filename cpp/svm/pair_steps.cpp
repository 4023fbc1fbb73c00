#include "svm/pair_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace certus::svm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double hairs = 4.0 * std::numeric_limits<double>::epsilon();
constexpr double smallest_curvature = 1e-12;  // also serves directions of no or negative curvature

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class T>
void PairSteps<T>::load(const Problem& problem, std::span<const Index> members, std::span<const T> kernel,
                        std::span<const double> diagonal, std::span<const double> alpha,
                        std::span<const double> scores) {
  bias_ = problem.bias;
  size_ = static_cast<Index>(members.size());
  copies_ = problem.copies();
  kernel_ = kernel.data();
  diagonal_.resize(at(size_));
  scores_.resize(at(size_));
  const std::size_t variables = at(size_ * copies_);
  alpha_.resize(variables), upper_.resize(variables), offset_.resize(variables), sign_.resize(variables);
  for (auto* bounds : {up_, low_}) {
    for (int group = 0; group < (bias_ == Bias::two ? 2 : 1); ++group) bounds[group].resize(variables);
  }
  for (Index k = 0; k < size_; ++k) {
    diagonal_[at(k)] = diagonal[at(members[at(k)])];
    scores_[at(k)] = scores[at(members[at(k)])];
    for (Index copy = 0; copy < copies_; ++copy) {
      const std::size_t from = at(members[at(k)] + copy * problem.rows), to = at(k + copy * size_);
      alpha_[to] = alpha[from];
      upper_[to] = problem.upper[from];
      sign_[to] = problem.sign[from];
      offset_[to] = -static_cast<double>(problem.sign[from]) * problem.linear[from];
      set_bounds(static_cast<Index>(to));
    }
  }
  start_ = alpha_;
  has_top_ = false;
}

template <class T>
void PairSteps<T>::set_bounds(Index variable) {
  const std::size_t t = at(variable);
  const int group = bias_ == Bias::two && sign_[t] < 0 ? 1 : 0;
  if (bias_ == Bias::two) {
    up_[1 - group][t] = -infinity;
    low_[1 - group][t] = infinity;
  }
  up_[group][t] = may_rise(sign_[t], alpha_[t], upper_[t]) ? offset_[t] : -infinity;
  low_[group][t] = may_fall(sign_[t], alpha_[t], upper_[t]) ? offset_[t] : infinity;
}

template <class T>
typename PairSteps<T>::Pair PairSteps<T>::choose_pair() {
  Pair best;
  violation_ = 0.0;
  for (int group = 0; group < (bias_ == Bias::two ? 2 : 1); ++group) {
    UpMost top{-infinity, -1};
    const bool known = std::exchange(has_top_, false);
    if (known) top = top_;
    for (Index copy = 0; copy < copies_ && !known; ++copy) {
      const UpMost found = svm_ops().find_up(up_[group].data() + copy * size_, scores_.data(), size_);
      if (found.value > top.value) top = {found.value, found.position + copy * size_};
    }
    if (top.position < 0) continue;
    const Index row = top.position % size_;
    for (Index copy = 0; copy < copies_; ++copy) {
      const Partner found = kernel_ops<T>().best_partner(
          low_[group].data() + copy * size_, scores_.data(), diagonal_.data(), kernel_ + row * size_,
          diagonal_[at(row)], top.value, smallest_curvature, size_);
      violation_ = std::max(violation_, top.value - found.lowest);
      if (found.gain > best.gain) {
        const Index down = found.position + copy * size_;
        const double v_down = low_[group][at(down)] - scores_[at(found.position)];
        best = {top.position, down, top.value - v_down, found.gain};
      }
    }
  }
  return best;
}

template <class T>
typename PairSteps<T>::Pair PairSteps<T>::choose_single() {
  Pair best;
  violation_ = 0.0;
  for (Index t = 0; t < size_ * copies_; ++t) {
    const Index row = t % size_;
    const double rise = up_[0][at(t)] - scores_[at(row)], fall = scores_[at(row)] - low_[0][at(t)];
    const double distance = std::max(rise, fall);
    violation_ = std::max(violation_, distance);
    const double gain = distance * distance / std::max(diagonal_[at(row)], smallest_curvature);
    if (distance > 0.0 && gain > best.gain)
      best = {rise > fall ? t : -1, rise > fall ? -1 : t, distance, gain};
  }
  return best;
}

template <class T>
double PairSteps<T>::room(Index variable, bool rising) const {
  const std::size_t t = at(variable);
  return (sign_[t] > 0) == rising ? upper_[t] - alpha_[t] : alpha_[t];
}

// Changes s_t a_t by `amount`, which may take up all the room there is, or all but rounding errors of it: a
// variable that is left a hair away from its bound would count as free and pin down the intercept.
template <class T>
double PairSteps<T>::move(Index variable, double amount) {
  const std::size_t t = at(variable);
  const double before = alpha_[t];
  const bool growing = (sign_[t] > 0) == (amount > 0.0);
  const double size = std::abs(amount);
  const double hair = std::isfinite(upper_[t]) ? hairs * upper_[t] : hairs * before;
  if (size >= room(variable, amount > 0.0) - hair) {
    alpha_[t] = growing ? upper_[t] : 0.0;
  } else {
    alpha_[t] = std::clamp(growing ? before + size : before - size, 0.0, upper_[t]);
  }
  set_bounds(variable);
  return static_cast<double>(sign_[t]) * (alpha_[t] - before);
}

template <class T>
void PairSteps<T>::step(const Pair& pair) {
  const Index up = pair.up < 0 ? -1 : pair.up % size_, down = pair.down < 0 ? -1 : pair.down % size_;
  double curvature = 0.0, amount = infinity;
  if (up >= 0) curvature += diagonal_[at(up)], amount = std::min(amount, room(pair.up, true));
  if (down >= 0) curvature += diagonal_[at(down)], amount = std::min(amount, room(pair.down, false));
  if (up >= 0 && down >= 0) curvature -= 2.0 * static_cast<double>(kernel_[up * size_ + down]);
  amount = std::min(amount, pair.distance / std::max(curvature, smallest_curvature));
  if (up >= 0) move(pair.up, amount);
  if (down >= 0) move(pair.down, -amount);
  if (up >= 0 && down >= 0) {
    if (up != down && copies_ == 1 && bias_ == Bias::one) {
      top_ = kernel_ops<T>().move_pair_and_find_up(scores_.data(), kernel_ + up * size_,
                                                   kernel_ + down * size_, amount, up_[0].data(), size_);
      has_top_ = true;
    } else if (up != down) {
      kernel_ops<T>().move_pair(scores_.data(), kernel_ + up * size_, kernel_ + down * size_, amount, size_);
    }
    return;
  }
  const Index only = up >= 0 ? up : down;
  const T* row = kernel_ + only * size_;
  const double coefficient = up >= 0 ? amount : -amount;
  kernel_ops<T>().add_rows(&row, &coefficient, 1, 0, scores_.data(), size_);
}

template <class T>
std::int64_t PairSteps<T>::run(double tolerance, std::int64_t limit, StopToken& stop) {
  std::int64_t steps = 0;
  for (; steps < limit; ++steps) {
    if (steps % 256 == 255 && stop.poll()) break;
    const Pair pair = bias_ == Bias::none ? choose_single() : choose_pair();
    if (!(violation_ > tolerance) || !(pair.gain > 0.0)) break;
    step(pair);
  }
  return steps;
}

template <class T>
void PairSteps<T>::store(std::span<const Index> members, std::span<double> alpha,
                         std::span<double> change) const {
  const Index rows = static_cast<Index>(alpha.size()) / copies_;
  for (Index k = 0; k < size_; ++k) {
    change[at(k)] = 0.0;
    for (Index copy = 0; copy < copies_; ++copy) {
      const std::size_t t = at(k + copy * size_);
      alpha[at(members[at(k)] + copy * rows)] = alpha_[t];
      change[at(k)] += static_cast<double>(sign_[t]) * (alpha_[t] - start_[t]);
    }
  }
}

template class PairSteps<float>;
template class PairSteps<double>;

}  // namespace certus::svm
