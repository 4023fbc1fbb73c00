#include "reinforce/replay_memory.hpp"

#include <algorithm>

namespace certus::reinforce {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

std::int64_t ReplayMemory::held() const {
  return std::min(total, static_cast<std::int64_t>(rows_.actions.size()));
}

void ReplayMemory::add(const Transition& found) {
  const Index row = total++ % static_cast<Index>(rows_.actions.size());
  std::ranges::copy(found.seen, rows_.seen.row(row));
  std::ranges::copy(found.following, rows_.following.row(row));
  rows_.actions[at(row)] = found.action;
  rows_.rewards[at(row)] = found.reward;
  rows_.ended[at(row)] = found.ended ? 1 : 0;
  if (found.allowed.empty()) {
    std::fill_n(rows_.allowed.row(row), rows_.allowed.cols, std::uint8_t{1});
  } else {
    std::ranges::copy(found.allowed, rows_.allowed.row(row));
  }
}

void ReplayMemory::draw(const Transitions& out) {
  const auto count = static_cast<std::uint64_t>(held());
  for (Index to = 0; to < static_cast<Index>(out.actions.size()); ++to) {
    const auto from = static_cast<Index>(rng_.below(count));
    std::copy_n(rows_.seen.row(from), rows_.seen.cols, out.seen.row(to));
    std::copy_n(rows_.following.row(from), rows_.following.cols, out.following.row(to));
    std::copy_n(rows_.allowed.row(from), rows_.allowed.cols, out.allowed.row(to));
    out.actions[at(to)] = rows_.actions[at(from)];
    out.rewards[at(to)] = rows_.rewards[at(from)];
    out.ended[at(to)] = rows_.ended[at(from)];
  }
}

}  // namespace certus::reinforce
