// Sweeps of dynamic programming over all states.
//
// sweep: out = T U and the best pair of each state (the first of equals), all from the old values, so that
// bits
//   do not depend on the number of threads. Given that U* - U lies in [lower, upper], a pair i of s with
//   q_i + gamma upper + margin < (T U)(s) + gamma lower - margin is not optimal (MacQueen 1967) and is
//   dropped.
// policy_sweeps: U := T_pi U so many times.
// gauss_seidel: in place and in the given order, every second time from its end (Hastings 1968).
// certified: which chosen pairs are best for every U* between two vectors.
// Cost of a sweep: the number of transitions.
#pragma once

#include <span>

#include "core/stop.hpp"
#include "reinforce/process.hpp"

namespace certus::reinforce {

struct SweepResult {
  double least = 0.0, most = 0.0;  // of (T U - U) over states that are not terminal
  std::int64_t dropped = 0;
};

struct Dropping {
  double lower = 0.0, upper = 0.0, margin = 0.0;
  bool active = false;
};

SweepResult sweep(const Process& process, std::span<const double> values, std::span<double> out,
                  std::span<std::int32_t> best, Live live, Dropping dropping, int threads, StopToken& stop);

// Ends early once the changes of a sweep differ by at most `enough`: more of them would only shift all
// values.
void policy_sweeps(const Process& process, std::span<const std::int32_t> pairs, std::span<double> values,
                   std::span<double> scratch, std::int64_t times, double enough, int threads,
                   StopToken& stop);

// Returns the largest change of the last time.
double gauss_seidel(const Process& process, std::span<const std::int64_t> order, std::span<double> values,
                    Live live, std::int64_t times, StopToken& stop);

// r_i + gamma sum_t p_it U(t) of every pair.
void pair_values(const Process& process, std::span<const double> values, std::span<double> out, int threads,
                 StopToken& stop);

void certified(const Process& process, std::span<const double> lower, std::span<const double> upper,
               std::span<const std::int32_t> chosen, double margin, std::span<std::uint8_t> proved,
               int threads, StopToken& stop);

}  // namespace certus::reinforce
