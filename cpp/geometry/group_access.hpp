// The group operations (group_ops.hpp) by scalar type, and the way from rows to groups.
#pragma once

#include "core/view2d.hpp"
#include "geometry/group_ops.hpp"

namespace certus::geometry {

inline void distances(const Metric& metric, const double* query, const float* groups, Index columns,
                      Index count, double* out) {
  group_ops().distances_f(metric, query, groups, columns, count, out);
}
inline void distances(const Metric& metric, const double* query, const double* groups, Index columns,
                      Index count, double* out) {
  group_ops().distances_d(metric, query, groups, columns, count, out);
}
inline void box_bounds(const Metric& metric, const double* query, const float* low, const float* high,
                       Index columns, double* out) {
  group_ops().box_bounds_f(metric, query, low, high, columns, out);
}
inline void box_bounds(const Metric& metric, const double* query, const double* low, const double* high,
                       Index columns, double* out) {
  group_ops().box_bounds_d(metric, query, low, high, columns, out);
}

inline void box_reaches(const Metric& metric, const double* query, const float* low, const float* high,
                        Index columns, double* out) {
  group_ops().box_reaches_f(metric, query, low, high, columns, out);
}
inline void box_reaches(const Metric& metric, const double* query, const double* low, const double* high,
                        Index columns, double* out) {
  group_ops().box_reaches_d(metric, query, low, high, columns, out);
}

// Writes the rows row_at(0) .. row_at(count-1) into successive groups. Lanes left over repeat the last row.
template <class T, class RowAt>
void fill_groups(View2D<const T> rows, Index count, RowAt row_at, T* groups) {
  const Index columns = rows.cols;
  const Index padded = (count + lanes - 1) / lanes * lanes;
  for (Index slot = 0; slot < padded; ++slot) {
    const T* row = rows.row(row_at(slot < count ? slot : count - 1));
    T* lane = groups + slot / lanes * lanes * columns + slot % lanes;
    for (Index j = 0; j < columns; ++j) lane[j * lanes] = row[j];
  }
}

}  // namespace certus::geometry
