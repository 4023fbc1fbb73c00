#include "components/scatter.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "components/scatter_ops.hpp"
#include "core/aligned.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"

CERTUS_ISA_TABLE(certus::ScatterOps, scatter_ops)

namespace certus::components {
namespace {

constexpr Index block_rows = 192;  // of which a panel stays in the nearest cache
constexpr Index most_ranges = 8;
constexpr Index tiles_of_panel = panel_columns / tile_columns;
constexpr Index tile_cells = tile_columns * panel_columns;

// The sums over one range of rows: products by tile and panel, those above the diagonal left at zero.
struct RangeSums {
  explicit RangeSums(Index panels)
      : products(static_cast<std::size_t>(panels * tiles_of_panel * panels * tile_cells), 0.0),
        rows(static_cast<std::size_t>(panels * panel_columns), 0.0) {}

  void add(const RangeSums& other) {
    for (std::size_t at = 0; at < products.size(); ++at) products[at] += other.products[at];
    for (std::size_t at = 0; at < rows.size(); ++at) rows[at] += other.rows[at];
  }

  AlignedVector<double> products, rows;
};

template <class T>
void center(const T* row, const double* origin, double root, Index columns, double* to, double* sums) {
  if constexpr (std::is_same_v<T, float>) {
    scatter_ops().center_f(row, origin, root, columns, to, sums);
  } else {
    scatter_ops().center_d(row, origin, root, columns, to, sums);
  }
}

// Centers some rows into panels; columns beyond the last stay zero.
template <class T>
void fill_panels(View2D<const T> x, std::span<const double> roots, std::span<const double> origin,
                 double* panels, double* sums) {
  for (Index r = 0; r < x.rows; ++r) {
    const double root = roots.empty() ? 1.0 : roots[static_cast<std::size_t>(r)];
    for (Index first = 0; first < x.cols; first += panel_columns) {
      const Index columns = std::min(panel_columns, x.cols - first);
      center(x.row(r) + first, origin.data() + first, root, columns,
             panels + first * block_rows + r * panel_columns, sums + first);
    }
  }
}

// Every panel with the tiles on and before it.
void add_block(const double* panels, Index count, Index rows, double* products) {
  const Index panel_cells = panel_columns * block_rows;
  for (Index panel = 0; panel < count; ++panel) {
    for (Index tile = 0; tile < (panel + 1) * tiles_of_panel; ++tile) {
      const double* own = panels + tile / tiles_of_panel * panel_cells + tile % tiles_of_panel * tile_columns;
      scatter_ops().add_products(own, panels + panel * panel_cells, rows,
                                 products + (tile * count + panel) * tile_cells);
    }
  }
}

void write(const RangeSums& sums, Index panels, View2D<double> out) {
  for (Index i = 0; i < out.rows; ++i) {
    for (Index j = i; j < out.cols; ++j) {
      const Index place = (i / tile_columns * panels + j / panel_columns) * tile_cells +
                          i % tile_columns * panel_columns + j % panel_columns;
      out(i, j) = sums.products[static_cast<std::size_t>(place)];
      out(j, i) = out(i, j);
    }
  }
}

}  // namespace

template <class T>
void scatter(View2D<const T> x, std::span<const double> roots, std::span<const double> origin, int threads,
             StopToken& stop, View2D<double> out, std::span<double> sums) {
  const Index panels = block_count(x.cols, panel_columns);
  const Index ranges = std::clamp<Index>(x.rows / std::max<Index>(2 * x.cols, block_rows), 1, most_ranges);
  const Index range = std::max<Index>(1, block_count(x.rows, ranges));
  std::vector<RangeSums> parts(static_cast<std::size_t>(block_count(x.rows, range)), RangeSums(panels));
  parallel_ranges(x.rows, range, threads, stop, [&](Index first, Index last, int) {
    RangeSums& part = parts[static_cast<std::size_t>(first / range)];
    AlignedVector<double> centered(static_cast<std::size_t>(panels * panel_columns * block_rows), 0.0);
    for (Index i = first; i < last && !stop.poll(); i += block_rows) {
      const Index rows = std::min(block_rows, last - i);
      const auto own = roots.empty() ? roots : roots.subspan(static_cast<std::size_t>(i));
      fill_panels(x.rows_from(i, rows), own, origin, centered.data(), part.rows.data());
      add_block(centered.data(), panels, rows, part.products.data());
    }
  });
  if (stop.requested() || parts.empty()) return;
  for (std::size_t at = 1; at < parts.size(); ++at) parts.front().add(parts[at]);
  write(parts.front(), panels, out);
  std::copy_n(parts.front().rows.begin(), x.cols, sums.begin());
}

template void scatter<float>(View2D<const float>, std::span<const double>, std::span<const double>, int,
                             StopToken&, View2D<double>, std::span<double>);
template void scatter<double>(View2D<const double>, std::span<const double>, std::span<const double>, int,
                              StopToken&, View2D<double>, std::span<double>);

}  // namespace certus::components
