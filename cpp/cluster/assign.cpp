#include "cluster/assign.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "cluster/grouped_rows.hpp"
#include "core/parallel.hpp"

namespace certus::cluster {
namespace {

constexpr Index groups_in_block = 64;

std::vector<double> mean_of(View2D<const double> centers) {
  std::vector<double> mean(static_cast<std::size_t>(centers.cols), 0.0);
  for (Index c = 0; c < centers.rows; ++c) {
    for (Index j = 0; j < centers.cols; ++j) {
      mean[static_cast<std::size_t>(j)] += centers(c, j) / static_cast<double>(centers.rows);
    }
  }
  return mean;
}

template <class T>
double squared_distance(const T* row, const double* center, Index columns) {
  double sum = 0.0;
  for (Index j = 0; j < columns; ++j) {
    const double difference = static_cast<double>(row[j]) - center[j];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

template <class T>
void assign(View2D<const T> rows, View2D<const double> centers, int threads, StopToken& stop,
            std::span<std::int32_t> labels, std::span<double> squared) {
  const std::vector<double> offset = mean_of(centers);
  const std::vector<T> near = moved<T>(centers, offset);
  parallel_ranges(block_count(rows.rows, lanes), groups_in_block, threads, stop,
                  [&](Index first, Index last, int) {
                    std::vector<T> group(static_cast<std::size_t>(lanes * rows.cols));
                    std::array<std::int32_t, lanes> label;
                    std::array<T, lanes> best, second;
                    for (Index g = first; g < last && !stop.poll(); ++g) {
                      fill_group<T>(rows, g * lanes, offset, group.data());
                      nearest(group.data(), rows.cols, near.data(), centers.rows, label.data(), best.data(),
                              second.data());
                      for (Index i = g * lanes; i < std::min(rows.rows, (g + 1) * lanes); ++i) {
                        const std::int32_t found = label[static_cast<std::size_t>(i - g * lanes)];
                        labels[static_cast<std::size_t>(i)] = found;
                        squared[static_cast<std::size_t>(i)] =
                            squared_distance(rows.row(i), centers.row(found), rows.cols);
                      }
                    }
                  });
}

template <class T>
void center_distances(View2D<const T> rows, View2D<const double> centers, int threads, StopToken& stop,
                      View2D<double> out) {
  parallel_ranges(rows.rows, 512, threads, stop, [&](Index first, Index last, int) {
    for (Index i = first; i < last && !stop.poll(); ++i) {
      for (Index c = 0; c < centers.rows; ++c) {
        out(i, c) = std::sqrt(squared_distance(rows.row(i), centers.row(c), rows.cols));
      }
    }
  });
}

template void assign<float>(View2D<const float>, View2D<const double>, int, StopToken&,
                            std::span<std::int32_t>, std::span<double>);
template void assign<double>(View2D<const double>, View2D<const double>, int, StopToken&,
                             std::span<std::int32_t>, std::span<double>);
template void center_distances<float>(View2D<const float>, View2D<const double>, int, StopToken&,
                                      View2D<double>);
template void center_distances<double>(View2D<const double>, View2D<const double>, int, StopToken&,
                                       View2D<double>);

}  // namespace certus::cluster
