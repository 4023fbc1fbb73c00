#include "graphical/tree_rows.hpp"

#include <algorithm>
#include <limits>

namespace certus::graphical {
namespace {

template <class Vector>
auto row_of(const Vector& rows, Index place) {
  return std::span(rows.row(place), static_cast<std::size_t>(rows.cols));
}

}  // namespace

void query_tree_rows(CliqueTree& tree, View2D<const std::int64_t> rows, Index node, View2D<double> out,
                     std::span<double> likelihood, StopToken& stop) {
  const std::int64_t nodes[] = {node};
  for (Index row = 0; row < rows.rows && !stop.poll(); ++row) {
    tree.load(row_of(rows, row), {});
    const bool possible = tree.collect(CliqueTree::Mode::kSum, false, 1, stop);
    const double lost = std::numeric_limits<double>::quiet_NaN();
    likelihood[static_cast<std::size_t>(row)] = tree.lost() ? lost : tree.log_total();
    const auto to = row_of(out, row);
    if (possible) {
      tree.joint(nodes, to);
    } else {
      std::fill(to.begin(), to.end(), 0.0);
    }
  }
}

void count_tree_rows(CliqueTree& tree, View2D<const std::int64_t> rows, std::span<const double> weights,
                     std::span<double> counts, std::span<double> likelihood, StopToken& stop) {
  for (Index row = 0; row < rows.rows && !stop.poll(); ++row) {
    const auto place = static_cast<std::size_t>(row);
    tree.load(row_of(rows, row), {});
    const bool possible = tree.collect(CliqueTree::Mode::kSum, false, 1, stop);
    likelihood[place] = tree.lost() ? std::numeric_limits<double>::quiet_NaN() : tree.log_total();
    if (!possible) continue;
    tree.distribute(1, stop);
    if (tree.lost()) likelihood[place] = std::numeric_limits<double>::quiet_NaN();
    tree.add_families(weights[place], counts);
  }
}

void draw_tree_rows(const CliqueTree& tree, std::uint64_t seed, View2D<std::int32_t> rows, StopToken& stop) {
  Rng rng(seed);
  for (Index row = 0; row < rows.rows && !stop.poll(); ++row) tree.draw(rng, row_of(rows, row));
}

}  // namespace certus::graphical
