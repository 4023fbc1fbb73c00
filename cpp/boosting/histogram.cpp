#include "boosting/histogram.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

// Columns of a group are this far apart in the words: not a multiple of the cache's period, so that the first
// bins of all columns do not compete for the same places.
constexpr Index word_stride = bins_per_column + 8;
constexpr Index rows_for_threads = 256;
constexpr Index rows_for_parts = 8192;
constexpr Index ahead = 12;  // rows whose bins are fetched in advance

// Gradient in the upper 27 bits, hessian in 25, count in 12.
constexpr int gradient_shift = 37, hessian_shift = 12;

inline std::uint64_t word_of(std::uint32_t packed) {
  const auto gradient = static_cast<std::int64_t>(static_cast<std::int16_t>(packed >> 16));
  return (static_cast<std::uint64_t>(gradient) << gradient_shift) +
         (static_cast<std::uint64_t>(packed & 0xffffu) << hessian_shift) + 1u;
}

inline void prefetch(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

}  // namespace

HistogramBuilder::HistogramBuilder(const BinnedTable& table, int threads)
    : table_(table),
      groups_(column_groups(table.columns)),
      words_(static_cast<std::size_t>(threads)),
      threads_(threads) {
  for (auto& words : words_) words.assign(static_cast<std::size_t>(group_width * word_stride), 0);
  const Index parts = block_count(threads, static_cast<Index>(groups_.size()));
  for (Index part = 1; part < parts; ++part) parts_.emplace_back(table.columns * bins_per_column);
}

// Every group of columns is a task of its own. Where there are more threads than groups, the rows of large
// nodes are cut into parts as well; that may depend on the number of threads, for all sums are exact.
void HistogramBuilder::build(std::span<const Entry> entries, const Grid& grid, Histogram& out,
                             StopToken& stop) {
  const Index rows = static_cast<Index>(entries.size());
  const Index groups = static_cast<Index>(groups_.size());
  const Index parts = rows < rows_for_parts ? 1 : static_cast<Index>(parts_.size()) + 1;
  parallel_for(groups * parts, rows < rows_for_threads ? 1 : threads_, stop, [&](Index task, int worker) {
    const ColumnGroup& group = groups_[task % groups];
    const Index part = task / groups;
    const Index first = rows * part / parts, last = rows * (part + 1) / parts;
    Histogram& sums = part == 0 ? out : parts_[part - 1];
    clear(group, sums);
    add_rows(entries.subspan(first, last - first), grid, group, words_[worker], sums, stop);
  });
  if (parts == 1) return;
  parallel_for(groups, threads_, stop, [&](Index task, int) {
    const Index first = groups_[task].first * bins_per_column, last = groups_[task].last * bins_per_column;
    for (const Histogram& part : parts_) {
      for (Index i = first; i < last; ++i) out[i] += part[i];
    }
  });
}

void HistogramBuilder::clear(const ColumnGroup& group, Histogram& sums) const {
  std::fill(sums.begin() + group.first * bins_per_column, sums.begin() + group.last * bins_per_column,
            Sums{});
}

void HistogramBuilder::add_rows(std::span<const Entry> entries, const Grid& grid, const ColumnGroup& group,
                                std::vector<std::uint64_t>& words, Histogram& sums, StopToken& stop) const {
  const Index rows = static_cast<Index>(entries.size());
  for (Index first = 0; first < rows && !stop.poll(); first += coarse_rows) {
    const auto part = entries.subspan(first, std::min(rows - first, coarse_rows));
    if (grid.coarse) {
      add_coarse(part, group, words.data());
      flush(grid, group, words.data(), sums);
    } else {
      add_fine(part, grid, group, sums);
    }
  }
}

void HistogramBuilder::add_coarse(std::span<const Entry> entries, const ColumnGroup& group,
                                  std::uint64_t* words) const {
  const Bin* bins = table_.group(group);
  const Index width = group.width();
  const Index rows = static_cast<Index>(entries.size());
  const Index by_four = width - width % 4;
  for (Index i = 0; i < rows; ++i) {
    if (i + ahead < rows) prefetch(bins + entries[i + ahead].row * width);
    const Bin* row = bins + entries[i].row * width;
    const std::uint64_t word = word_of(entries[i].packed);
    std::uint64_t* column = words;
    Index j = 0;
    for (; j < by_four; j += 4, column += 4 * word_stride) {
      column[row[j]] += word;
      column[row[j + 1] + word_stride] += word;
      column[row[j + 2] + 2 * word_stride] += word;
      column[row[j + 3] + 3 * word_stride] += word;
    }
    for (; j < width; ++j, column += word_stride) column[row[j]] += word;
  }
}

// Adds the packed sums to the histogram and sets them to zero.
void HistogramBuilder::flush(const Grid& grid, const ColumnGroup& group, std::uint64_t* words,
                             Histogram& histogram) const {
  constexpr std::uint64_t hessian_mask = (std::uint64_t{1} << (gradient_shift - hessian_shift)) - 1;
  constexpr std::uint64_t count_mask = (std::uint64_t{1} << hessian_shift) - 1;
  for (Index j = 0; j < group.width(); ++j) {
    std::uint64_t* column = words + j * word_stride;
    Sums* sums = histogram.data() + (group.first + j) * bins_per_column;
    const auto flush_bin = [&](Index bin) {
      const std::uint64_t word = column[bin];
      column[bin] = 0;
      const auto gradient = static_cast<std::int32_t>(static_cast<std::int64_t>(word) >> gradient_shift);
      const auto hessian = static_cast<std::int32_t>((word >> hessian_shift) & hessian_mask);
      const auto count = static_cast<std::int32_t>(word & count_mask);
      sums[bin].gradient += gradient * grid.gradient_step;
      sums[bin].hessian += grid.unit_hessian ? count : hessian * grid.hessian_step;
      sums[bin].rows += count;
    };
    const Index used = table_.bins[group.first + j];
    for (Index bin = 0; bin < used; ++bin) flush_bin(bin);
    if (table_.has_missing[group.first + j]) flush_bin(missing_bin);
  }
}

void HistogramBuilder::add_fine(std::span<const Entry> entries, const Grid& grid, const ColumnGroup& group,
                                Histogram& sums) const {
  for (Index j = group.first; j < group.last; ++j) {
    const Bin* bins = table_.column(j);
    Sums* column = sums.data() + j * bins_per_column;
    for (const Entry& entry : entries) {
      const double hessian = grid.unit_hessian ? 1.0 : grid.hessians[entry.row];
      column[bins[entry.row]] += Sums{grid.gradients[entry.row], hessian, 1.0};
    }
  }
}

void HistogramBuilder::subtract(const Histogram& whole, const Histogram& part, Index column,
                                Histogram& out) const {
  const Index first = column * bins_per_column, used = table_.bins[column];
  for (Index bin = first; bin < first + used; ++bin) out[bin] = whole[bin] - part[bin];
  const Index missing = first + missing_bin;
  out[missing] = whole[missing] - part[missing];
}

}  // namespace certus::boosting
