// Prioritised sweeping (Moore, Atkeson 1993): the state whose equation is violated most comes first.
//
// A heap holds the states by |(T U)(s) - U(s)|. After a state has got its new value, the states from which it
// can be reached are looked at again. Ends when no violation exceeds `least`, or after so many updates.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "reinforce/process.hpp"

namespace certus::reinforce {

// `before_starts`, `before`: the states from which each state can be reached in one step. Returns the
// updates.
std::int64_t prioritized(const Process& process, std::span<const std::int64_t> before_starts,
                         std::span<const std::int32_t> before, std::span<double> values, double least,
                         std::int64_t most, StopToken& stop);

}  // namespace certus::reinforce
