#include "boosting/histogram.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

// Columns of a group are this far apart in the words: not a multiple of the cache's period, so that the first
// bins of all columns do not compete for the same places.
constexpr Index word_stride = bins_per_column + 8;
constexpr Index rows_per_block = 4 * coarse_rows;
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
    : table_(table), groups_(column_groups(table.columns)), scratch_(static_cast<std::size_t>(threads)),
      threads_(threads) {
  for (Scratch& scratch : scratch_) {
    scratch.words.assign(static_cast<std::size_t>(group_width * word_stride), 0);
    scratch.sums.resize(static_cast<std::size_t>(table.columns * bins_per_column));
  }
}

void HistogramBuilder::build(std::span<const Entry> entries, const Grid& grid,
                              Histogram& out, StopToken& stop) {
  const Index rows = static_cast<Index>(entries.size());
  const Index blocks = block_count(rows, rows_per_block);
  const Index groups = static_cast<Index>(groups_.size());
  const int threads = blocks * groups == 1 ? 1 : threads_;
  std::vector<std::uint8_t> used(static_cast<std::size_t>(threads), 0);
  std::fill(out.begin(), out.end(), Sums{});
  parallel_for(blocks * groups, threads, stop, [&](Index task, int worker) {
    if (stop.poll()) return;
    Scratch& scratch = scratch_[worker];
    if (!used[worker]) std::fill(scratch.sums.begin(), scratch.sums.end(), Sums{});
    used[worker] = 1;
    const Index first = (task % blocks) * rows_per_block;
    const auto part = entries.subspan(first, std::min(rows - first, rows_per_block));
    add_block(part, grid, groups_[task / blocks], scratch);
  });
  for (int worker = 0; worker < threads; ++worker) {
    if (!used[worker]) continue;
    const Histogram& sums = scratch_[worker].sums;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += sums[i];
  }
}

void HistogramBuilder::add_block(std::span<const Entry> entries, const Grid& grid,
                                  const ColumnGroup& group,
                                 Scratch& scratch) const {
  if (!grid.coarse) {
    add_fine(entries, grid, group, scratch.sums);
    return;
  }
  const Index rows = static_cast<Index>(entries.size());
  for (Index first = 0; first < rows; first += coarse_rows) {
    add_coarse(entries.subspan(first, std::min(rows - first, coarse_rows)), grid, group, scratch);
  }
}

void HistogramBuilder::add_coarse(std::span<const Entry> entries, const Grid& grid, const ColumnGroup& group,
                                  Scratch& scratch) const {
  const Bin* bins = table_.group(group);
  const Index width = group.width();
  std::uint64_t* words = scratch.words.data();
  const Index rows = static_cast<Index>(entries.size());
  for (Index i = 0; i < rows; ++i) {
    if (i + ahead < rows) prefetch(bins + entries[i + ahead].row * width);
    const Bin* row = bins + entries[i].row * width;
    const std::uint64_t word = word_of(entries[i].packed);
    std::uint64_t* column = words;
    for (Index j = 0; j < width; ++j, column += word_stride) column[row[j]] += word;
  }
  constexpr std::uint64_t hessian_mask = (std::uint64_t{1} << (gradient_shift - hessian_shift)) - 1;
  constexpr std::uint64_t count_mask = (std::uint64_t{1} << hessian_shift) - 1;
  for (Index j = 0; j < width; ++j) {
    std::uint64_t* column = words + j * word_stride;
    Sums* sums = scratch.sums.data() + (group.first + j) * bins_per_column;
    const auto flush = [&](Index bin) {
      const std::uint64_t word = column[bin];
      column[bin] = 0;
      const double gradient = static_cast<double>(static_cast<std::int32_t>(static_cast<std::int64_t>(word) >> gradient_shift));
      const double count = static_cast<double>(static_cast<std::int32_t>(word & count_mask));
      const double hessian = static_cast<double>(static_cast<std::int32_t>((word >> hessian_shift) & hessian_mask));
      sums[bin].gradient += gradient * grid.gradient_step;
      sums[bin].hessian += grid.unit_hessian ? count : hessian * grid.hessian_step;
      sums[bin].rows += count;
    };
    const Index used = table_.bins[group.first + j];
    for (Index bin = 0; bin < used; ++bin) flush(bin);
    if (table_.has_missing[group.first + j]) flush(missing_bin);
  }
}

void HistogramBuilder::add_fine(std::span<const Entry> entries, const Grid& grid,
                                 const ColumnGroup& group,
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
