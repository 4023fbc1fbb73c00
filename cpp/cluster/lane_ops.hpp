// Inner loops of k-means, one version per instruction set (see core/isa.hpp).
//
// Rows are handled in groups of sixteen, stored column by column: group[j * 16 + lane] is column j of the row
// in that lane. Squared distances are sums of squared differences, so that nothing cancels, and a row gets
// the same bits in whichever group and lane it sits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace certus::cluster {

enum : std::ptrdiff_t { lanes = 16 };

struct LaneOps {
  // For each row of one group its nearest center (the first of equals), the squared distance to it and to the
  // second nearest (infinite if there is one center).
  void (*nearest_f)(const float* group, std::ptrdiff_t columns, const float* centers, std::ptrdiff_t count,
                    std::int32_t* label, float* best, float* second);
  void (*nearest_d)(const double* group, std::ptrdiff_t columns, const double* centers, std::ptrdiff_t count,
                    std::int32_t* label, double* best, double* second);
  // out[c * 16 + lane] = squared distance between each row of one group and each center.
  void (*distances_f)(const float* group, std::ptrdiff_t columns, const float* centers, std::ptrdiff_t count,
                      float* out);
  void (*distances_d)(const double* group, std::ptrdiff_t columns, const double* centers,
                      std::ptrdiff_t count, double* out);
};

}  // namespace certus::cluster

namespace certus {
const cluster::LaneOps& lane_ops() noexcept;
}
