// A known process as the world of an agent: draws starts, next states and what transitions pay.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "reinforce/agent.hpp"
#include "reinforce/process.hpp"

namespace certus::reinforce {

struct World {
  const Process* process;
  PairsOf pairs;
  std::span<const double> paid;   // of each transition, or empty: the reward of the pair
  std::span<const double> fixed;  // values of terminal states
  std::span<const double> start;
};

struct Moved {
  Index next;
  double reward;
};

Index draw_start(const World& world, Rng& rng);
Moved move(const World& world, Index pair, Rng& rng);

// What is written down of every episode: the sum of its rewards (with what its end pays) and its length.
struct Diary {
  std::span<double> returns;
  std::span<std::int64_t> lengths;
};

// Runs episodes of at most `horizon` steps; returns how many were completed.
std::int64_t train(const World& world, Agent& agent, std::int64_t horizon, std::uint64_t seed, Diary diary,
                   StopToken& stop);

// Follows a policy (states x actions, probabilities). Writes states, actions, rewards and probabilities of
// the actions of all episodes one after the other; ends[i] is where episode i ends. The value of a terminal
// state is added to the last reward, times the discount. Returns how many episodes fitted.
struct Paths {
  std::span<std::int32_t> states, actions;
  std::span<double> rewards, probabilities;
  std::span<std::int64_t> ends;
};

std::int64_t follow(const World& world, View2D<const double> policy, std::int64_t horizon, std::uint64_t seed,
                    Paths paths, StopToken& stop);

}  // namespace certus::reinforce
