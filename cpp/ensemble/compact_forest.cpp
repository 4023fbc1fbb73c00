#include "ensemble/compact_forest.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/parallel.hpp"

namespace certus::ensemble {
namespace {

constexpr Index rows_per_block = 1024;  // a multiple of 64, so that blocks share no word of bits

// The class with the largest value, the first of several.
Index vote(const double* value, Index size) { return std::max_element(value, value + size) - value; }

}  // namespace

CompactForest::CompactForest(std::span<const std::int64_t> offsets, std::span<const std::int32_t> left,
                             std::span<const std::int32_t> right, std::span<const std::int32_t> feature,
                             std::span<const double> threshold, std::span<const std::uint8_t> missing_left,
                             std::span<const std::int64_t> category_nodes, trees::CategorySets sets)
    : offsets_(offsets.begin(), offsets.end()), nodes_(left.size()), sets_(std::move(sets)) {
  for (Index tree = 0; tree < trees(); ++tree) {
    const auto first = static_cast<std::size_t>(offsets_[tree]);
    const auto count = static_cast<std::size_t>(offsets_[tree + 1]) - first;
    trees::pack_nodes(left.subspan(first, count), right.subspan(first, count), feature.subspan(first, count),
                      threshold.subspan(first, count), missing_left.subspan(first, count),
                      static_cast<std::int32_t>(first), nodes_.data() + first);
  }
  trees::set_categories(category_nodes, nodes_.data());
}

void CompactForest::sum(View2D<const float> x, const double* values, Index size, std::span<double> sums,
                        int threads, StopToken& stop) const {
  parallel_ranges(x.rows, rows_per_block, threads, stop, [&](Index first, Index last, int) {
    const float* start[trees::lanes];
    std::int32_t at[trees::lanes];
    std::fill_n(sums.data() + first * size, (last - first) * size, 0.0);
    for (Index tree = 0; tree < trees() && !stop.poll(); ++tree) {
      for (Index row = first; row < last; row += trees::lanes) {
        const Index count = std::min(trees::lanes, last - row);
        for (Index lane = 0; lane < count; ++lane) start[lane] = x.row(row + lane);
        trees::walk_group(nodes_.data(), sets_, static_cast<std::int32_t>(offsets_[tree]), start,
                          x.col_stride, count, at);
        for (Index lane = 0; lane < count; ++lane) {
          const double* value = values + at[lane] * size;
          double* total = sums.data() + (row + lane) * size;
          for (Index k = 0; k < size; ++k) total[k] += value[k];
        }
      }
    }
  });
}

void CompactForest::apply(View2D<const float> x, std::span<std::int64_t> leaves, int threads,
                          StopToken& stop) const {
  parallel_ranges(x.rows, rows_per_block, threads, stop, [&](Index first, Index last, int) {
    const float* start[trees::lanes];
    std::int32_t at[trees::lanes];
    for (Index tree = 0; tree < trees() && !stop.poll(); ++tree) {
      for (Index row = first; row < last; row += trees::lanes) {
        const Index count = std::min(trees::lanes, last - row);
        for (Index lane = 0; lane < count; ++lane) start[lane] = x.row(row + lane);
        trees::walk_group(nodes_.data(), sets_, static_cast<std::int32_t>(offsets_[tree]), start,
                          x.col_stride, count, at);
        for (Index lane = 0; lane < count; ++lane) {
          leaves[(row + lane) * trees() + tree] = at[lane] - offsets_[tree];
        }
      }
    }
  });
}

void CompactForest::judge_out_of_bag(View2D<const float> x, const double* values, Index size,
                                     const OutOfBag& out, int threads, StopToken& stop) const {
  parallel_ranges(x.rows, rows_per_block, threads, stop, [&](Index first, Index last, int) {
    const float* start[trees::lanes];
    std::int32_t at[trees::lanes];
    Index group[trees::lanes];
    for (Index tree = 0; tree < trees() && !stop.poll(); ++tree) {
      const std::uint64_t* in_bag = out.in_bag.data() + tree * out.words;
      Index count = 0;
      const auto judge = [&] {
        for (Index lane = 0; lane < count; ++lane) start[lane] = x.row(group[lane]);
        trees::walk_group(nodes_.data(), sets_, static_cast<std::int32_t>(offsets_[tree]), start,
                          x.col_stride, count, at);
        for (Index lane = 0; lane < count; ++lane) {
          const Index row = group[lane];
          const double* value = values + at[lane] * size;
          for (Index k = 0; k < size; ++k) out.sums[row * size + k] += value[k];
          ++out.trees[row];
          if (out.labels != nullptr && vote(value, size) != static_cast<Index>(out.labels[row])) {
            out.errors[tree * out.words + row / 64] |= std::uint64_t{1} << (row % 64);
          }
        }
        count = 0;
      };
      for (Index row = first; row < last; ++row) {
        if ((in_bag[row / 64] >> (row % 64)) & 1) continue;
        group[count++] = row;
        if (count == trees::lanes) judge();
      }
      if (count > 0) judge();
    }
  });
}

void count_common_bits(View2D<const std::uint64_t> first, View2D<const std::uint64_t> second,
                       std::span<std::int64_t> counts, int threads, StopToken& stop) {
  parallel_for(first.rows, threads, stop, [&](Index a, int) {
    const std::uint64_t* ours = first.row(a);
    for (Index b = 0; b < second.rows && !stop.poll(); ++b) {
      const std::uint64_t* theirs = second.row(b);
      std::int64_t both = 0;
      for (Index word = 0; word < first.cols; ++word) both += std::popcount(ours[word] & theirs[word]);
      counts[a * second.rows + b] = both;
    }
  });
}

}  // namespace certus::ensemble
