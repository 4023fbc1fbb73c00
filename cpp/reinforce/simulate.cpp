#include "reinforce/simulate.hpp"

namespace certus::reinforce {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

Index draw_start(const World& world, Rng& rng) {
  double left = rng.uniform();
  Index last = 0;
  for (Index s = 0; s < static_cast<Index>(world.start.size()); ++s) {
    if (world.start[at(s)] <= 0.0) continue;
    last = s;
    left -= world.start[at(s)];
    if (left < 0.0) break;
  }
  return last;
}

Moved move(const World& world, Index pair, Rng& rng) {
  const Process& process = *world.process;
  double left = rng.uniform();
  if (process.dense.data != nullptr) {
    Index last = 0;
    for (Index t = 0; t < process.dense.cols; ++t) {
      if (process.dense(pair, t) <= 0.0) continue;
      last = t;
      left -= process.dense(pair, t);
      if (left < 0.0) break;
    }
    const Index place = pair * process.dense.cols + last;
    return {last, world.paid.empty() ? process.rewards[at(pair)] : world.paid[at(place)]};
  }
  std::int64_t last = process.row_starts[at(pair)];
  for (std::int64_t k = last; k < process.row_starts[at(pair) + 1]; ++k) {
    if (process.shares[at(k)] <= 0.0) continue;
    last = k;
    left -= process.shares[at(k)];
    if (left < 0.0) break;
  }
  return {process.columns[at(last)], world.paid.empty() ? process.rewards[at(pair)] : world.paid[at(last)]};
}

std::int64_t train(const World& world, Agent& agent, std::int64_t horizon, std::uint64_t seed, Diary diary,
                   StopToken& stop) {
  Rng rng(seed, 1);
  const auto episodes = static_cast<std::int64_t>(diary.returns.size());
  for (std::int64_t episode = 0; episode < episodes; ++episode) {
    agent.set_progress(static_cast<double>(episode) / static_cast<double>(episodes));
    Index state = draw_start(world, rng);
    double sum = 0.0;
    std::int64_t step = 0;
    std::int32_t action = world.process->terminal(state) ? -1 : agent.begin(state);
    for (; action >= 0 && step < horizon; ++step) {
      if (step % 64 == 0 && stop.poll()) return episode;
      const Moved moved = move(world, world.pairs(state, action), rng);
      const bool ends = world.process->terminal(moved.next);
      sum += moved.reward + (ends ? world.fixed[at(moved.next)] : 0.0);
      action = agent.step(moved.reward, moved.next, ends, world.fixed[at(moved.next)]);
      state = moved.next;
    }
    diary.returns[static_cast<std::size_t>(episode)] = sum;
    diary.lengths[static_cast<std::size_t>(episode)] = step;
  }
  return episodes;
}

std::int64_t follow(const World& world, View2D<const double> policy, std::int64_t horizon, std::uint64_t seed,
                    Paths paths, StopToken& stop) {
  std::int64_t place = 0;
  const auto room = static_cast<std::int64_t>(paths.states.size());
  for (std::size_t episode = 0; episode < paths.ends.size(); ++episode) {
    Rng rng(seed, episode);  // one stream for each, so that more episodes begin with the same ones
    Index state = draw_start(world, rng);
    if (place + horizon > room || stop.poll()) return static_cast<std::int64_t>(episode);
    for (std::int64_t step = 0; step < horizon && !world.process->terminal(state); ++step) {
      if (step % 64 == 0 && stop.poll()) return static_cast<std::int64_t>(episode);
      const std::int32_t action = draw_action(policy, state, rng);
      const Moved moved = move(world, world.pairs(state, action), rng);
      const auto i = static_cast<std::size_t>(place++);
      paths.states[i] = static_cast<std::int32_t>(state);
      paths.actions[i] = action;
      paths.rewards[i] = moved.reward + world.process->discount * world.fixed[at(moved.next)];
      paths.probabilities[i] = policy(state, action);
      state = moved.next;
    }
    paths.ends[episode] = place;
  }
  return static_cast<std::int64_t>(paths.ends.size());
}

}  // namespace certus::reinforce
