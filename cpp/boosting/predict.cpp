#include "boosting/predict.hpp"

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

constexpr Index rows_per_task = 2048;
constexpr Index rows_per_block = mask_rows;  // their values stay near the processor while the trees pass by
constexpr Index rows_for_masks = 8;          // fewer are walked

}  // namespace

PackedTrees::PackedTrees(std::span<const Node> nodes, std::span<const std::int64_t> starts,
                         std::span<const BinSet> sets, std::span<const std::int64_t> set_starts)
    : nodes_(nodes.size()), values_(nodes.size()), sets_(sets.begin(), sets.end()) {
  if (!sets_.empty()) sets_of_.assign(nodes.size(), 0);
  for (std::size_t tree = 0; tree + 1 < starts.size(); ++tree) {
    roots_.push_back(static_cast<std::int32_t>(starts[tree]));
    masks_.append(nodes.subspan(starts[tree], starts[tree + 1] - starts[tree]),
                  sets.subspan(static_cast<std::size_t>(set_starts[tree])));
    for (std::int64_t i = starts[tree]; i < starts[tree + 1]; ++i) {
      const Node& node = nodes[i];
      values_[i] = node.value;
      if (node.left < 0) {
        nodes_[i] = {std::numeric_limits<double>::infinity(), 0, static_cast<std::int32_t>(i)};
        continue;
      }
      std::uint32_t column = static_cast<std::uint32_t>(node.column);
      if (!node.missing_left) column |= missing_right;
      if (node.categories >= 0) {
        column |= by_category;
        sets_of_[i] = static_cast<std::int32_t>(set_starts[tree]) + node.categories;
      }
      nodes_[i] = {node.threshold, column, static_cast<std::int32_t>(starts[tree]) + node.left};
    }
  }
}

template <class T, bool with_categories>
inline std::int32_t PackedTrees::step(std::int32_t at, const T* row, Index stride) const {
  const Packed& node = nodes_[at];
  const T value = row[(node.column & column_mask) * stride];
  if constexpr (with_categories) {
    if (node.column & by_category) {
      const bool known = value >= T(0) && value < T(missing_bin);
      const bool left =
          known ? contains(sets_[sets_of_[at]], static_cast<int>(value)) : !(node.column & missing_right);
      return node.first + !left;
    }
  }
  const unsigned missing = static_cast<unsigned>(value != value) & (node.column >> 31);
  return node.first + static_cast<std::int32_t>(
                          static_cast<unsigned>(static_cast<double>(value) > node.threshold) | missing);
}

// Rows row .. row+count-1 through one tree, `lanes` rows at a time.
template <class T, bool with_categories>
void PackedTrees::walk(View2D<const T> x, Index row, Index count, Index tree, double* out) const {
  Index group = 0;
  for (; group + lanes <= count; group += lanes) {
    std::int32_t at[lanes];
    for (Index lane = 0; lane < lanes; ++lane) at[lane] = roots_[tree];
    for (std::int32_t moved = 1; moved != 0;) {
      moved = 0;
      for (Index lane = 0; lane < lanes; ++lane) {
        const std::int32_t next = step<T, with_categories>(at[lane], x.row(row + group + lane), x.col_stride);
        moved |= next ^ at[lane];
        at[lane] = next;
      }
    }
    for (Index lane = 0; lane < lanes; ++lane) out[group + lane] += values_[at[lane]];
  }
  for (; group < count; ++group) {
    std::int32_t at = roots_[tree];
    for (;;) {
      const std::int32_t next = step<T, with_categories>(at, x.row(row + group), x.col_stride);
      if (next == at) break;
      at = next;
    }
    out[group] += values_[at];
  }
}

template <class T>
void PackedTrees::add_block(View2D<const T> x, Index row, Index count, Index first, Index last,
                            LeafMasks::Block& block, View2D<double> raw) const {
  const bool masks = count >= rows_for_masks;
  if (masks) LeafMasks::load(x, row, count, block);
  for (Index tree = first; tree < last; ++tree) {
    double* out = raw.row(tree % raw.rows) + row;
    if (masks && masks_.serves(tree)) {
      masks_.add(tree, block, count, out);
    } else if (sets_.empty()) {
      walk<T, false>(x, row, count, tree, out);
    } else {
      walk<T, true>(x, row, count, tree, out);
    }
  }
}

template <class T>
void PackedTrees::add(View2D<const T> x, Index first, Index last, View2D<double> raw, int threads,
                      StopToken& stop) const {
  const LeafMasks::Block empty =
      x.rows < rows_for_masks ? LeafMasks::Block{} : masks_.make_block(first, last);
  parallel_ranges(x.rows, rows_per_task, threads, stop, [&](Index start, Index end, int) {
    LeafMasks::Block block = empty;
    for (Index row = start; row < end && !stop.poll(); row += rows_per_block) {
      add_block(x, row, std::min(rows_per_block, end - row), first, last, block, raw);
    }
  });
}

template void PackedTrees::add<float>(View2D<const float>, Index, Index, View2D<double>, int,
                                      StopToken&) const;
template void PackedTrees::add<double>(View2D<const double>, Index, Index, View2D<double>, int,
                                       StopToken&) const;

}  // namespace certus::boosting
