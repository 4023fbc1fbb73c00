// Sums of a vector in four lanes, for loops whose terms are no product of two vectors.
#pragma once

#include <cstddef>

namespace certus::online {

template <class Term>
double sum_of(std::ptrdiff_t count, Term&& term) {
  double lane[4] = {0.0, 0.0, 0.0, 0.0};
  std::ptrdiff_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int k = 0; k < 4; ++k) lane[k] += term(i + k);
  }
  for (; i < count; ++i) lane[0] += term(i);
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

}  // namespace certus::online
