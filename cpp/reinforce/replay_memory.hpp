// What a deep learner has seen: transitions in a ring, the oldest overwritten first, and batches drawn from
// it with repetition. The tables belong to the caller.
#pragma once

#include <cstdint>
#include <span>

#include "core/rng.hpp"
#include "core/view2d.hpp"

namespace certus::reinforce {

// Transitions, one a row; `allowed` says which actions the next state has.
struct Transitions {
  View2D<float> seen;
  std::span<std::int64_t> actions;
  std::span<float> rewards;
  View2D<float> following;
  std::span<std::uint8_t> ended;
  View2D<std::uint8_t> allowed;
};

// One of them; an empty `allowed` stands for all actions.
struct Transition {
  std::span<const float> seen;
  std::int64_t action;
  float reward;
  std::span<const float> following;
  bool ended;
  std::span<const std::uint8_t> allowed;
};

class ReplayMemory {
 public:
  ReplayMemory(const Transitions& rows, std::uint64_t seed) : rows_(rows), rng_(seed) {}

  // Transitions seen so far; those that are held are the last min(total, size).
  std::int64_t total = 0;
  std::int64_t held() const;

  void add(const Transition& found);
  // Fills all rows of `out` with transitions drawn with repetition; at least one must be held.
  void draw(const Transitions& out);

 private:
  Transitions rows_;
  Rng rng_;
};

}  // namespace certus::reinforce
