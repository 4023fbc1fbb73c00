#include "ensemble/subsample.hpp"

namespace certus::ensemble {

Index mark_sample(std::span<const double> uniform, Index wanted, std::span<std::uint8_t> marked) {
  const auto rows = static_cast<Index>(uniform.size());
  Index taken = 0;
  for (Index row = 0; row < rows; ++row) {
    const bool take = uniform[row] * static_cast<double>(rows - row) < static_cast<double>(wanted - taken);
    marked[row] = take ? 1 : 0;
    taken += take ? 1 : 0;
  }
  return taken;
}

}  // namespace certus::ensemble
