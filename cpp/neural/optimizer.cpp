#include "neural/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/parallel.hpp"
#include "neural/typed_ops.hpp"

namespace certus::neural {
namespace {

constexpr Index range = 16'384;
constexpr Index serial_size = 65'536;  // parameters that one thread moves sooner than a second is awake

struct Segment {
  Index first, last;
  bool penalised;
};

// Consecutive parameters that move; frozen layers are left out of each kind.
std::vector<Segment> moving_segments(const Architecture& net, Index frozen) {
  std::vector<Segment> found;
  const auto from = [&](Index start, Index end, auto offset, bool penalised) {
    for (Index l = 0; l < std::min<Index>(frozen, static_cast<Index>(net.layers.size())); ++l) {
      start = std::max(start, offset(net.layers[static_cast<std::size_t>(l)]));
    }
    for (; start < end; start += range) found.push_back({start, std::min(end, start + range), penalised});
  };
  from(0, net.weights, [](const Layer& layer) { return layer.weight + layer.in * layer.out; }, true);
  const Layer& first = net.layers.front();
  const bool normalised = first.scale >= 0;
  from(
      net.weights, normalised ? first.scale : net.parameters,
      [](const Layer& layer) { return layer.bias + layer.out; }, false);
  if (normalised) {
    from(first.scale, first.shift, [](const Layer& layer) { return layer.scale + layer.out; }, false);
    from(first.shift, net.parameters, [](const Layer& layer) { return layer.shift + layer.out; }, false);
  }
  return found;
}

Sweep sweep_of(const StepRule& rule, std::int64_t step) {
  Sweep sweep{.solver = rule.solver,
              .rate = step_size(rule, step),
              .first = rule.first,
              .second = rule.second,
              .epsilon = rule.epsilon,
              .nesterov = rule.nesterov};
  if (rule.solver == Solver::adam || rule.solver == Solver::adamw) {
    const double t = static_cast<double>(step + 1);
    sweep.rate *= std::sqrt(1.0 - std::pow(rule.second, t)) / (1.0 - std::pow(rule.first, t));
  }
  return sweep;
}

}  // namespace

double step_size(const StepRule& rule, std::int64_t step) {
  if (rule.schedule == Schedule::constant) return rule.rate;
  const double time = std::min(static_cast<double>(step) / rule.decay_steps, 1.0);
  if (rule.schedule == Schedule::linear) return (1.0 - time) * rule.rate + time * rule.rate_end;
  return rule.rate_end + 0.5 * (rule.rate - rule.rate_end) * (1.0 + std::cos(std::numbers::pi * time));
}

template <class T>
double make_step(const Architecture& net, const StepRule& rule, std::int64_t step, double rows,
                 std::span<T* const> gradients, const Moving<T>& moving, int threads, StopToken& stop) {
  const std::vector<Segment> segments = moving_segments(net, static_cast<Index>(rule.frozen));
  const auto count = static_cast<Index>(segments.size());
  const int workers = net.parameters < serial_size ? 1 : threads;
  const bool decoupled = rule.solver == Solver::adamw;
  const double decay = decoupled ? 0.0 : rule.alpha / rows;
  const auto sum_slots = [&](const Segment& part) {
    for (std::size_t slot = 1; slot < gradients.size(); ++slot) {
      TypedOps<T>::add(T(1), static_cast<const T*>(gradients[slot] + part.first), gradients[0] + part.first,
                       part.last - part.first);
    }
  };
  Sweep sweep = sweep_of(rule, step);
  if (rule.clip_norm > 0.0) {
    const double square = ordered_reduce(
        count, workers, stop, 0.0,
        [&](Index at) {
          const Segment& part = segments[static_cast<std::size_t>(at)];
          sum_slots(part);
          double sum = 0.0;
          for (Index i = part.first; i < part.last; ++i) {
            const double penalty =
                part.penalised ? decay * static_cast<double>(moving.parameters[static_cast<std::size_t>(i)])
                               : 0.0;
            const double slope = static_cast<double>(gradients[0][i]) + penalty;
            sum += slope * slope;
          }
          return sum;
        },
        [](double sum, double part) { return sum + part; });
    const double norm = std::sqrt(square);
    if (norm > rule.clip_norm) sweep.scale = rule.clip_norm / norm;
  }
  return ordered_reduce(
      count, workers, stop, 0.0,
      [&](Index at) {
        const Segment& part = segments[static_cast<std::size_t>(at)];
        if (!(rule.clip_norm > 0.0)) sum_slots(part);
        Sweep own = sweep;
        own.decay = part.penalised ? decay * sweep.scale : 0.0;
        own.shrink = part.penalised && decoupled ? step_size(rule, step) * rule.alpha : 0.0;
        own.l1 = part.penalised ? rule.l1 / rows : 0.0;
        const auto start = static_cast<std::size_t>(part.first);
        return TypedOps<T>::sweep(
            own, moving.parameters.data() + start, static_cast<const T*>(gradients[0] + part.first),
            moving.m.empty() ? nullptr : moving.m.data() + start,
            moving.v.empty() ? nullptr : moving.v.data() + start, part.last - part.first);
      },
      [](double sum, double part) { return sum + part; });
}

#define CERTUS_INSTANTIATE(T)                                                                                \
  template double make_step(const Architecture&, const StepRule&, std::int64_t, double, std::span<T* const>, \
                            const Moving<T>&, int, StopToken&);
CERTUS_INSTANTIATE(float)
CERTUS_INSTANTIATE(double)
#undef CERTUS_INSTANTIATE

}  // namespace certus::neural
