#include "reinforce/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.hpp"

namespace certus::reinforce {
namespace {

constexpr Index block = 512;  // states; fixed, so that results do not depend on threads
constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Best {
  double value = -infinity;
  std::int32_t pair = -1;
};

Best best_of(const Process& process, Index state, const double* values, Live live) {
  Best best;
  const Index first = process.starts[at(state)];
  for (Index k = 0; k < live.counts[at(state)]; ++k) {
    const std::int32_t pair = live.pairs[at(first + k)];
    const double value = process.backup(pair, values);
    if (value > best.value || best.pair < 0) best = {value, pair};
  }
  return best;
}

// The same, where every pair's value is kept so that bad ones can be dropped.
Best best_and_drop(const Process& process, Index state, const double* values, Live live,
                   const Dropping& dropping, std::vector<double>& worth, std::int64_t& dropped) {
  const Index first = process.starts[at(state)];
  const Index count = live.counts[at(state)];
  worth.resize(at(count));
  Best best;
  for (Index k = 0; k < count; ++k) {
    const std::int32_t pair = live.pairs[at(first + k)];
    worth[at(k)] = process.backup(pair, values);
    if (worth[at(k)] > best.value || best.pair < 0) best = {worth[at(k)], pair};
  }
  const double reach = process.discount * (dropping.upper - dropping.lower) + 2.0 * dropping.margin;
  Index kept = 0;
  for (Index k = 0; k < count; ++k) {
    if (worth[at(k)] + reach < best.value) continue;
    live.pairs[at(first + kept++)] = live.pairs[at(first + k)];
  }
  dropped += count - kept;
  live.counts[at(state)] = static_cast<std::int32_t>(kept);
  return best;
}

SweepResult joined(SweepResult one, SweepResult other) {
  return {std::min(one.least, other.least), std::max(one.most, other.most), one.dropped + other.dropped};
}

}  // namespace

SweepResult sweep(const Process& process, std::span<const double> values, std::span<double> out,
                  std::span<std::int32_t> best, Live live, Dropping dropping, int threads, StopToken& stop) {
  const SweepResult none{infinity, -infinity, 0};
  return ordered_reduce(
      block_count(process.states(), block), threads, stop, none,
      [&](Index part) {
        SweepResult found = none;
        std::vector<double> worth;
        const Index end = std::min(process.states(), (part + 1) * block);
        for (Index state = part * block; state < end; ++state) {
          if (state % 64 == 0 && stop.poll()) break;
          if (process.terminal(state)) {
            out[at(state)] = values[at(state)];
            best[at(state)] = -1;
            continue;
          }
          const bool choice = dropping.active && live.counts[at(state)] > 1;
          const Best here =
              choice ? best_and_drop(process, state, values.data(), live, dropping, worth, found.dropped)
                     : best_of(process, state, values.data(), live);
          out[at(state)] = here.value;
          best[at(state)] = here.pair;
          found.least = std::min(found.least, here.value - values[at(state)]);
          found.most = std::max(found.most, here.value - values[at(state)]);
        }
        return found;
      },
      joined);
}

void policy_sweeps(const Process& process, std::span<const std::int32_t> pairs, std::span<double> values,
                   std::span<double> scratch, std::int64_t times, double enough, int threads,
                   StopToken& stop) {
  double* from = values.data();
  double* to = scratch.data();
  const SweepResult none{infinity, -infinity, 0};
  for (std::int64_t time = 0; time < times && !stop.poll(); ++time) {
    const SweepResult change = ordered_reduce(
        block_count(process.states(), block), threads, stop, none,
        [&](Index part) {
          SweepResult found = none;
          const Index end = std::min(process.states(), (part + 1) * block);
          for (Index state = part * block; state < end; ++state) {
            if (state % 64 == 0 && stop.poll()) break;
            const std::int32_t pair = pairs[at(state)];
            to[state] = pair < 0 ? from[state] : process.backup(pair, from);
            if (pair < 0) continue;
            found.least = std::min(found.least, to[state] - from[state]);
            found.most = std::max(found.most, to[state] - from[state]);
          }
          return found;
        },
        joined);
    std::swap(from, to);
    if (change.most - change.least <= enough) break;
  }
  if (from != values.data()) std::copy(from, from + process.states(), values.data());
}

double gauss_seidel(const Process& process, std::span<const std::int64_t> order, std::span<double> values,
                    Live live, std::int64_t times, StopToken& stop) {
  double change = 0.0;
  const auto count = static_cast<Index>(order.size());
  for (std::int64_t time = 0; time < times; ++time) {
    change = 0.0;
    for (Index place = 0; place < count; ++place) {
      if (place % 256 == 0 && stop.poll()) return infinity;
      const Index state = order[at(time % 2 == 0 ? place : count - 1 - place)];
      const double value = best_of(process, state, values.data(), live).value;
      change = std::max(change, std::abs(value - values[at(state)]));
      values[at(state)] = value;
    }
  }
  return change;
}

void pair_values(const Process& process, std::span<const double> values, std::span<double> out, int threads,
                 StopToken& stop) {
  parallel_ranges(static_cast<Index>(process.rewards.size()), block, threads, stop,
                  [&](Index first, Index last, int) {
                    for (Index pair = first; pair < last; ++pair) {
                      if (pair % 64 == 0 && stop.poll()) return;
                      out[at(pair)] = process.backup(pair, values.data());
                    }
                  });
}

void certified(const Process& process, std::span<const double> lower, std::span<const double> upper,
               std::span<const std::int32_t> chosen, double margin, std::span<std::uint8_t> proved,
               int threads, StopToken& stop) {
  parallel_ranges(process.states(), block, threads, stop, [&](Index first, Index last, int) {
    for (Index state = first; state < last; ++state) {
      if (state % 64 == 0 && stop.poll()) return;
      const std::int32_t mine = chosen[at(state)];
      if (mine < 0) continue;
      const Index begin = process.starts[at(state)], end = process.starts[at(state) + 1];
      bool holds = true;
      const double floor = end - begin > 1 ? process.backup(mine, lower.data()) - margin : 0.0;
      for (Index pair = begin; pair < end && holds; ++pair) {
        holds = pair == mine || process.backup(pair, upper.data()) + margin <= floor;
      }
      proved[at(state)] = holds;
    }
  });
}

}  // namespace certus::reinforce
