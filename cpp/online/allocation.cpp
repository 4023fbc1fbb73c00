#include "online/allocation.hpp"

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
constexpr double below_half = 0.5 - 0x1p-54;

// Weights into `v`; returns -1/eta ln mean exp(-eta losses), the loss of the mixture so far.
double mix(std::span<const double> losses, double eta, std::span<double> v) {
  const auto n = static_cast<Index>(losses.size());
  const double least = *std::min_element(losses.begin(), losses.end());
  if (eta == infinity) {
    for (Index i = 0; i < n; ++i) v[i] = losses[i] == least ? 1.0 : 0.0;
  } else {
    for (Index i = 0; i < n; ++i) v[i] = eta * (least - losses[i]);
    vector_ops().exp_negative(v.data(), n);
  }
  const double total = sum_of(n, [&](Index i) { return v[i]; });
  for (double& weight : v) weight /= total;
  return eta == infinity ? least : least - std::log(total / static_cast<double>(n)) / eta;
}

double rate_of(double gaps, Index n) {
  return gaps > 0.0 ? std::log(static_cast<double>(n)) / gaps : infinity;
}

// Pays and adds the losses of one trial.
double pay(const double* losses, std::span<const double> v, double low, const Allocation& state) {
  const auto n = static_cast<Index>(v.size());
  const double paid = vector_ops().dot_d(v.data(), losses, n);
  state.sums[2] += sum_of(n, [&](Index i) { return v[i] * (losses[i] - low) * (losses[i] - low); });
  state.sums[0] += paid;
  state.sums[1] += 1.0;
  for (Index i = 0; i < n; ++i) state.losses[i] += losses[i];
  return paid;
}

}  // namespace

void hedge_weights(std::span<const double> losses, double eta, std::span<double> weights) {
  mix(losses, eta, weights);
}

void run_hedge(View2D<const double> losses, double eta, double low, const Allocation& state,
               std::span<double> paid, StopToken& stop) {
  const AdviceOps& ops = advice_ops();
  const auto n = static_cast<Index>(state.losses.size());
  std::vector<double> v(state.losses.size());
  double least = *std::min_element(state.losses.begin(), state.losses.end());
  for (Index t = 0; t < losses.rows && !stop.poll(); ++t) {
    const double total = ops.exp_weights(state.losses.data(), eta, least, v.data(), n);
    const PaidSums sums = ops.pay(v.data(), losses.row(t), low, state.losses.data(), n);
    paid[t] = sums.paid / total;
    least = sums.least;
    state.sums[0] += paid[t];
    state.sums[1] += 1.0;
    state.sums[2] += sums.squares / total;
  }
}

void run_ada_hedge(View2D<const double> losses, const Allocation& state, std::span<double> paid,
                   StopToken& stop) {
  const auto n = static_cast<Index>(state.losses.size());
  std::vector<double> v(state.losses.size()), after(state.losses.size());
  for (Index t = 0; t < losses.rows && !stop.poll(); ++t) {
    const double eta = rate_of(state.sums[3], n);
    const double before = mix(state.losses, eta, v);
    paid[t] = pay(losses.row(t), v, 0.0, state);
    state.sums[3] += std::max(0.0, paid[t] - (mix(state.losses, eta, after) - before));
  }
}

void squint_weights(const SquintState& state, std::span<double> weights) {
  const auto n = static_cast<Index>(weights.size());
  const auto m = static_cast<Index>(state.rates.size());
  double top = -infinity;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      const double eta = state.rates[j];
      top = std::max(top, eta * (state.regrets[i] - eta * state.variances[i]));
    }
  }
  for (Index i = 0; i < n; ++i) {
    weights[i] = sum_of(m, [&](Index j) {
      const double eta = state.rates[j];
      return state.prior[j] * eta * std::exp(eta * (state.regrets[i] - eta * state.variances[i]) - top);
    });
  }
  const double total = sum_of(n, [&](Index i) { return weights[i]; });
  for (double& weight : weights) weight /= total;
}

void run_squint(View2D<const double> losses, double scale, const SquintState& state, std::span<double> paid,
                StopToken& stop) {
  const auto n = static_cast<Index>(state.regrets.size());
  std::vector<double> v(state.regrets.size());
  for (Index t = 0; t < losses.rows && !stop.poll(); ++t) {
    squint_weights(state, v);
    const double* lost = losses.row(t);
    paid[t] = vector_ops().dot_d(v.data(), lost, n);
    for (Index i = 0; i < n; ++i) {
      const double instant = (paid[t] - lost[i]) / scale;
      state.regrets[i] += instant;
      state.variances[i] += instant * instant;
    }
    state.sums[0] += paid[t];
    state.sums[1] += 1.0;
  }
}

void run_votes(View2D<const double> advice, std::span<const double> labels, double eta,
               std::span<std::int64_t> mistakes, std::span<double> chances, StopToken& stop) {
  const auto n = static_cast<Index>(mistakes.size());
  // Experts with equally many mistakes are counted, not added up, so that a tie of votes is seen as one.
  const auto levels =
      static_cast<std::int64_t>(eta == infinity ? 1.0 : std::ceil(std::min(745.0 / eta, 1e12)) + 1.0);
  std::vector<std::int64_t> yes, no;
  for (Index t = 0; t < advice.rows && !stop.poll(); ++t) {
    const auto [least, most] = std::minmax_element(mistakes.begin(), mistakes.end());
    const std::int64_t low = *least, kept = std::min(levels, *most - low + 1);
    yes.assign(static_cast<std::size_t>(kept), 0);
    no.assign(static_cast<std::size_t>(kept), 0);
    const double* votes = advice.row(t);
    for (Index i = 0; i < n; ++i) {
      const std::int64_t level = mistakes[i] - low;
      if (level < kept) (votes[i] != 0.0 ? yes : no)[level] += 1;
    }
    double ones = 0.0, zeros = 0.0, lead = 0.0;
    for (std::int64_t level = kept - 1; level >= 0; --level) {
      const double weight = level == 0 ? 1.0 : std::exp(-eta * static_cast<double>(level));
      ones += weight * static_cast<double>(yes[level]);
      zeros += weight * static_cast<double>(no[level]);
      lead += weight * static_cast<double>(yes[level] - no[level]);
    }
    chances[t] = ones / (ones + zeros);
    // What the sums of both sides are too coarse for, their difference tells.
    if (lead < 0.0) chances[t] = std::min(chances[t], below_half);
    if (lead >= 0.0) chances[t] = std::max(chances[t], 0.5);
    if (t < static_cast<Index>(labels.size())) {
      for (Index i = 0; i < n; ++i) mistakes[i] += votes[i] != labels[t];
    }
  }
}

}  // namespace certus::online
