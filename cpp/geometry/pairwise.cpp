#include "geometry/pairwise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/parallel.hpp"
#include "geometry/group_access.hpp"

namespace certus::geometry {
namespace {

constexpr Index tile = 8 * lanes;  // rows turned into groups once and compared with a block of queries

// A tile of rows as groups.
template <class T>
struct Tile {
  Tile(View2D<const T> rows, Index first_) : first(first_), count(std::min(tile, rows.rows - first_)) {
    groups.resize(static_cast<std::size_t>(tile * rows.cols));
    fill_groups(rows, count, [this](Index slot) { return first + slot; }, groups.data());
  }
  Index first, count;
  std::vector<T> groups;
};

// The sum of some values, in four lanes that do not wait for each other.
double sum_of(const double* values, Index count) {
  std::array<double, 4> lane{};
  Index i = 0;
  for (; i + 4 <= count; i += 4) {
    lane[0] += values[i], lane[1] += values[i + 1], lane[2] += values[i + 2], lane[3] += values[i + 3];
  }
  for (; i < count; ++i) lane[0] += values[i];
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// Adds values to the sums of their labels, which ascend, run by run.
void add_runs(const double* values, const std::int32_t* labels, Index count, double* sums) {
  for (Index from = 0; from < count;) {
    const Index to = labels[count - 1] == labels[from]
                         ? count
                         : std::upper_bound(labels + from, labels + count, labels[from]) - labels;
    sums[labels[from]] += sum_of(values + from, to - from);
    from = to;
  }
}

// Adds the distances between the rows of a block and those of a tile to the sums of both; of one and the same
// tile only once.
template <class T>
void add_pairs(const Tile<T>& other, View2D<const double> same, std::span<const std::int32_t> labels,
               const Metric& metric, Root root, Index first, View2D<double> sums) {
  std::array<double, tile> found, columns{};
  const Index last = std::min(same.rows, first + tile);
  const std::int32_t* own = labels.data() + other.first;
  const auto flush = [&](std::int32_t label) {
    for (Index slot = 0; slot < other.count; ++slot) {
      sums(other.first + slot, label) += columns[static_cast<std::size_t>(slot)];
    }
    columns.fill(0.0);
  };
  for (Index i = first; i < last; ++i) {
    distances(metric, same.row(i), other.groups.data(), same.cols, block_count(other.count, lanes),
              found.data());
    finish(root, metric, same.cols, found.data(), other.count);
    add_runs(found.data(), own, other.count, sums.row(i));
    if (first == other.first) continue;
    for (Index slot = 0; slot < tile; ++slot) {
      columns[static_cast<std::size_t>(slot)] += found[static_cast<std::size_t>(slot)];
    }
    const std::int32_t label = labels[static_cast<std::size_t>(i)];
    if (i + 1 == last || labels[static_cast<std::size_t>(i) + 1] != label) flush(label);
  }
}

}  // namespace

void finish(Root root, const Metric& metric, Index columns, double* values, Index count) {
  switch (root) {
    case Root::none:
      return;
    case Root::square:
      for (Index i = 0; i < count; ++i) values[i] = std::sqrt(values[i]);
      return;
    case Root::power:
      for (Index i = 0; i < count; ++i) values[i] = std::pow(values[i], 1.0 / metric.power);
      return;
    case Root::half:
      for (Index i = 0; i < count; ++i) values[i] *= 0.5;
      return;
    case Root::share:
      for (Index i = 0; i < count; ++i) values[i] /= static_cast<double>(columns);
      return;
  }
}

template <class T>
void pairwise(View2D<const T> rows, View2D<const double> queries, const Metric& metric, int threads,
              StopToken& stop, View2D<double> out) {
  constexpr Index block = 32;
  parallel_ranges(queries.rows, block, threads, stop, [&](Index first, Index last, int) {
    std::array<double, tile> found;
    for (Index begin = 0; begin < rows.rows && !stop.poll(); begin += tile) {
      const Tile<T> some(rows, begin);
      for (Index i = first; i < last; ++i) {
        distances(metric, queries.row(i), some.groups.data(), rows.cols, block_count(some.count, lanes),
                  found.data());
        std::copy_n(found.data(), some.count, out.row(i) + begin);
      }
    }
  });
}

template <class T>
void label_sums(View2D<const T> rows, std::span<const std::int32_t> labels, View2D<const double> queries,
                const Metric& metric, Root root, int threads, StopToken& stop, View2D<double> sums) {
  parallel_ranges(queries.rows, tile, threads, stop, [&](Index first, Index last, int) {
    std::array<double, tile> found;
    for (Index i = first; i < last; ++i) std::fill(sums.row(i), sums.row(i) + sums.cols, 0.0);
    for (Index begin = 0; begin < rows.rows && !stop.poll(); begin += tile) {
      const Tile<T> some(rows, begin);
      for (Index i = first; i < last; ++i) {
        distances(metric, queries.row(i), some.groups.data(), rows.cols, block_count(some.count, lanes),
                  found.data());
        finish(root, metric, rows.cols, found.data(), some.count);
        add_runs(found.data(), labels.data() + begin, some.count, sums.row(i));
      }
    }
  });
}

template <class T>
void label_sums_among(View2D<const T> rows, std::span<const std::int32_t> labels, View2D<const double> same,
                      const Metric& metric, Root root, int threads, StopToken& stop, View2D<double> sums) {
  const Index blocks = block_count(rows.rows, tile), size = sums.rows * sums.cols;
  const Index stripes = std::min<Index>({16, blocks, (Index{1} << 25) / std::max<Index>(1, size)});
  if (stripes < 2) return label_sums(rows, labels, same, metric, root, threads, stop, sums);
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(stripes));
  parallel_for(stripes, threads, stop, [&](Index stripe, int) {
    auto& part = parts[static_cast<std::size_t>(stripe)];
    part.assign(static_cast<std::size_t>(size), 0.0);
    const View2D<double> own(part.data(), sums.rows, sums.cols);
    for (Index b = stripe; b < blocks && !stop.poll(); b += stripes) {
      const Tile<T> some(rows, b * tile);
      for (Index a = 0; a <= b && !stop.requested(); ++a) {
        add_pairs(some, same, labels, metric, root, a * tile, own);
      }
    }
  });
  if (stop.requested()) return;
  parallel_ranges(sums.rows, 4096, threads, stop, [&](Index first, Index last, int) {
    for (Index at = first * sums.cols; at < last * sums.cols; ++at) {
      double sum = 0.0;
      for (const auto& part : parts) sum += part[static_cast<std::size_t>(at)];
      sums.data[at] = sum;
    }
  });
}

#define CERTUS_PAIRWISE(T)                                                                             \
  template void pairwise(View2D<const T>, View2D<const double>, const Metric&, int, StopToken&,        \
                         View2D<double>);                                                              \
  template void label_sums(View2D<const T>, std::span<const std::int32_t>, View2D<const double>,       \
                           const Metric&, Root, int, StopToken&, View2D<double>);                      \
  template void label_sums_among(View2D<const T>, std::span<const std::int32_t>, View2D<const double>, \
                                 const Metric&, Root, int, StopToken&, View2D<double>)
CERTUS_PAIRWISE(float);
CERTUS_PAIRWISE(double);
#undef CERTUS_PAIRWISE

}  // namespace certus::geometry
