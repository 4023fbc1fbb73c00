// Inner loops of neighbor search, one version per instruction set (see core/isa.hpp).
//
// Points are handled in groups of eight, stored column by column: group[j * 8 + lane] is column j of the
// point in that lane. All lanes of a group go through the same instructions, so the reduced distance between
// a query and a row has the same bits in whichever group, lane or search structure the row sits. That is what
// lets the tree and the brute-force search return identical results, ties included.
#pragma once

#include <cstddef>

#include "geometry/metric.hpp"

namespace certus::geometry {

enum : std::ptrdiff_t { lanes = 8 };

struct GroupOps {
  // out[g * 8 + lane] = reduced distance between the query and each point of `count` successive groups.
  void (*distances_f)(const Metric& metric, const double* query, const float* groups, std::ptrdiff_t columns,
                      std::ptrdiff_t count, double* out);
  void (*distances_d)(const Metric& metric, const double* query, const double* groups, std::ptrdiff_t columns,
                      std::ptrdiff_t count, double* out);
  // out[lane] = reduced distance between the query and each of eight boxes [low, high], 0 inside.
  void (*box_bounds_f)(const Metric& metric, const double* query, const float* low, const float* high,
                       std::ptrdiff_t columns, double* out);
  void (*box_bounds_d)(const Metric& metric, const double* query, const double* low, const double* high,
                       std::ptrdiff_t columns, double* out);
  // out[lane] = reduced distance between the query and the farthest corner of each of eight boxes.
  void (*box_reaches_f)(const Metric& metric, const double* query, const float* low, const float* high,
                        std::ptrdiff_t columns, double* out);
  void (*box_reaches_d)(const Metric& metric, const double* query, const double* low, const double* high,
                        std::ptrdiff_t columns, double* out);
};

}  // namespace certus::geometry

namespace certus {
const geometry::GroupOps& group_ops() noexcept;
}
