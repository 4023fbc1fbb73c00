// The rows that a growing structure has not reached yet, as groups without gaps, each with its best value so
// far and the row that it comes from. O(n d) memory.
#pragma once

#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "geometry/group_access.hpp"

namespace certus::geometry {

template <class T>
class OutsideRows {
 public:
  explicit OutsideRows(View2D<const T> rows)
      : columns_(rows.cols),
        count_(rows.rows),
        groups_(static_cast<std::size_t>(block_count(rows.rows, lanes) * lanes * rows.cols)),
        row_(static_cast<std::size_t>(rows.rows)),
        link_(row_.size(), 0),
        best_(row_.size(), std::numeric_limits<double>::infinity()) {
    fill_groups(rows, rows.rows, [](Index slot) { return slot; }, groups_.data());
    std::iota(row_.begin(), row_.end(), Index{0});
  }

  Index count() const { return count_; }
  Index row(Index slot) const { return row_[static_cast<std::size_t>(slot)]; }
  Index& link(Index slot) { return link_[static_cast<std::size_t>(slot)]; }
  Index link(Index slot) const { return link_[static_cast<std::size_t>(slot)]; }
  double& best(Index slot) { return best_[static_cast<std::size_t>(slot)]; }
  double best(Index slot) const { return best_[static_cast<std::size_t>(slot)]; }

  // Takes a row out and writes its coordinates; the last one moves into its place, which is returned.
  Index remove(Index slot, double* coordinates) {
    const Index last = --count_;
    for (Index j = 0; j < columns_; ++j) {
      coordinates[j] = static_cast<double>(cell(slot, j));
      cell(slot, j) = cell(last, j);
    }
    row_[static_cast<std::size_t>(slot)] = row(last);
    link(slot) = link(last);
    best(slot) = best(last);
    return last;
  }

  // Calls see(first slot, number, reduced distances) for runs of the slots first .. last-1; `first` is on a
  // border of groups. The distances may be overwritten.
  template <class See>
  void compare(Index first, Index last, const double* point, const Metric& metric, See&& see) const {
    constexpr Index tile = 8 * lanes;
    std::array<double, tile> found;
    for (Index begin = first; begin < last; begin += tile) {
      const Index size = std::min(tile, last - begin);
      distances(metric, point, groups_.data() + begin * columns_, columns_, block_count(size, lanes),
                found.data());
      see(begin, size, found.data());
    }
  }

 private:
  T& cell(Index slot, Index column) {
    return groups_[static_cast<std::size_t>((slot / lanes * columns_ + column) * lanes + slot % lanes)];
  }

  Index columns_, count_;
  std::vector<T> groups_;
  std::vector<Index> row_, link_;
  std::vector<double> best_;
};

}  // namespace certus::geometry
