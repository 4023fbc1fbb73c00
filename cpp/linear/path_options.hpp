// What a path of penalties is solved with, and what is told about every point of it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/view2d.hpp"

namespace certus::linear {

struct PathOptions {
  std::span<const double> l1;  // one per point of the path, decreasing is fastest
  std::span<const double> l2;
  bool positive = false;
  double wanted = 0.0;          // largest gap of P that is good enough
  std::int64_t max_sweeps = 0;  // per point: coordinates looked at, divided by the number of columns
  bool random = false;
  std::uint64_t seed = 0;
  std::int64_t max_rounds =
      std::numeric_limits<std::int64_t>::max();  // per point: working sets that are solved
};

// Outputs, one entry per point. `coefs` is points x (columns * targets).
struct PathRecord {
  View2D<double> coefs;
  std::span<double> gaps;
  std::span<double> objectives;
  std::span<std::int64_t> sweeps;
  View2D<double> rounds;  // objective and gap at every look at all columns, as far as there are rows for them

  void note(std::int64_t round, double objective, double gap) const {
    if (round >= rounds.rows) return;
    rounds(static_cast<Index>(round), 0) = objective;
    rounds(static_cast<Index>(round), 1) = gap;
  }
};

}  // namespace certus::linear
