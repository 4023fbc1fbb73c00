// Inner loop of smoothed shares, one version per instruction set.
#pragma once

#include <cstddef>

namespace certus {

struct CountOps {
  // out[j] = table[values[j]] for whole values in 0 .. size - 1, 0 for all others; returns how many others.
  std::ptrdiff_t (*look_up)(const double* values, std::ptrdiff_t n, const double* table, int size,
                            double* out);
};

const CountOps& count_ops() noexcept;

}  // namespace certus
