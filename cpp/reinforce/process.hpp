// A decision process as kernels read it: the pairs of a state and one of its actions lie one after the other.
//
// A state without pairs is terminal: its value is given and stays. For any other state
//   (T U)(s) = max over pairs i of s: r_i + gamma sum_t p_it U(t).
#pragma once

#include <cstdint>
#include <span>

#include "core/vector_ops.hpp"
#include "core/view2d.hpp"

namespace certus::reinforce {

struct Process {
  std::span<const std::int64_t> starts;  // pairs of state s: starts[s] .. starts[s + 1] - 1
  std::span<const double> rewards;       // of each pair, expected
  double discount = 1.0;
  View2D<const double> dense;  // pairs x states; empty for sparse transitions
  std::span<const std::int64_t> row_starts;
  std::span<const std::int32_t> columns;
  std::span<const double> shares;

  Index states() const { return static_cast<Index>(starts.size()) - 1; }
  bool terminal(Index state) const {
    return starts[static_cast<std::size_t>(state)] == starts[static_cast<std::size_t>(state) + 1];
  }

  // r_i + gamma sum_t p_it U(t)
  double backup(Index pair, const double* values) const {
    const auto i = static_cast<std::size_t>(pair);
    double sum = 0.0;
    if (dense.data != nullptr) {
      sum = vector_ops().dot_d(dense.row(pair), values, dense.cols);
    } else {
      for (std::int64_t k = row_starts[i]; k < row_starts[i + 1]; ++k) {
        sum += shares[static_cast<std::size_t>(k)] * values[columns[static_cast<std::size_t>(k)]];
      }
    }
    return rewards[i] + discount * sum;
  }
};

// The pairs that may still be best, those of state s first in its range of `pairs`, in their order.
struct Live {
  std::span<std::int32_t> pairs;
  std::span<std::int32_t> counts;
};

}  // namespace certus::reinforce
