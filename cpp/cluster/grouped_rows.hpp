// The rows of a table in groups of sixteen (see lane_ops.hpp), moved by an offset, as k-means reads them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "cluster/lane_ops.hpp"
#include "core/aligned.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::cluster {

// Writes rows first .. first+15 minus the offset as one group; beyond the last row lanes repeat it.
template <class T>
void fill_group(View2D<const T> rows, Index first, std::span<const double> offset, T* group) {
  for (Index lane = 0; lane < lanes; ++lane) {
    const T* row = rows.row(std::min(first + lane, rows.rows - 1));
    for (Index j = 0; j < rows.cols; ++j) {
      group[j * lanes + lane] =
          static_cast<T>(static_cast<double>(row[j]) - offset[static_cast<std::size_t>(j)]);
    }
  }
}

template <class T>
void nearest(const T* group, Index columns, const T* centers, Index count, std::int32_t* label, T* best,
             T* second) {
  if constexpr (std::is_same_v<T, float>) {
    lane_ops().nearest_f(group, columns, centers, count, label, best, second);
  } else {
    lane_ops().nearest_d(group, columns, centers, count, label, best, second);
  }
}

template <class T>
void distances(const T* group, Index columns, const T* centers, Index count, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    lane_ops().distances_f(group, columns, centers, count, out);
  } else {
    lane_ops().distances_d(group, columns, centers, count, out);
  }
}

// All groups of a table.
template <class T>
class GroupedRows {
 public:
  GroupedRows(View2D<const T> rows, std::span<const double> offset, int threads, StopToken& stop)
      : rows_(rows.rows), columns_(rows.cols), values_(static_cast<std::size_t>(count() * lanes * columns_)) {
    parallel_ranges(count(), 64, threads, stop, [&](Index first, Index last, int) {
      for (Index g = first; g < last; ++g) fill_group(rows, g * lanes, offset, values_.data() + at(g));
    });
  }

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Index count() const { return block_count(rows_, lanes); }
  // How many lanes of a group are rows.
  Index used(Index group) const { return std::min<Index>(lanes, rows_ - group * lanes); }
  const T* group(Index place) const { return values_.data() + at(place); }
  // One row as a center.
  void copy_row(Index row, T* to) const {
    const T* from = group(row / lanes) + row % lanes;
    for (Index j = 0; j < columns_; ++j) to[j] = from[j * lanes];
  }

 private:
  Index at(Index group) const { return group * lanes * columns_; }

  Index rows_;
  Index columns_;
  AlignedVector<T> values_;
};

// Centers minus an offset, in the type of the rows.
template <class T>
std::vector<T> moved(View2D<const double> centers, std::span<const double> offset) {
  std::vector<T> found(static_cast<std::size_t>(centers.rows * centers.cols));
  for (Index c = 0; c < centers.rows; ++c) {
    for (Index j = 0; j < centers.cols; ++j) {
      found[static_cast<std::size_t>(c * centers.cols + j)] =
          static_cast<T>(centers(c, j) - offset[static_cast<std::size_t>(j)]);
    }
  }
  return found;
}

}  // namespace certus::cluster
