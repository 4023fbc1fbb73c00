#include "boosting/grid.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

constexpr Index rows_per_block = 16384;
// The coarse grid is fine enough if typical values are at least this many steps.
constexpr double typical_steps = 8.0;

struct Sizes {
  double largest_gradient = 0.0, largest_hessian = 0.0;
  double total_gradient = 0.0, total_hessian = 0.0;
};

Sizes sizes_of(std::span<const double> gradients, std::span<const double> hessians, int threads, StopToken& stop) {
  const Index rows = static_cast<Index>(gradients.size());
  return ordered_reduce(
      block_count(rows, rows_per_block), threads, stop, Sizes{},
      [&](Index block) {
        Sizes sizes;
        const Index last = std::min(rows, (block + 1) * rows_per_block);
        for (Index row = block * rows_per_block; row < last; ++row) {
          const double size = std::abs(gradients[row]);
          sizes.largest_gradient = std::max(sizes.largest_gradient, size);
          sizes.total_gradient += size;
        }
        if (hessians.empty()) return sizes;
        for (Index row = block * rows_per_block; row < last; ++row) {
          sizes.largest_hessian = std::max(sizes.largest_hessian, hessians[row]);
          sizes.total_hessian += hessians[row];
        }
        return sizes;
      },
      [](Sizes all, const Sizes& block) {
        all.largest_gradient = std::max(all.largest_gradient, block.largest_gradient);
        all.largest_hessian = std::max(all.largest_hessian, block.largest_hessian);
        all.total_gradient += block.total_gradient;
        all.total_hessian += block.total_hessian;
        return all;
      });
}

// The smallest power of two with largest <= limit * step.
double step_for(double largest, double limit) {
  if (!(largest > 0.0)) return 1.0;
  return std::exp2(std::ceil(std::log2(largest / limit)));
}

bool resolved(double total, double step, Index rows) {
  return total >= typical_steps * step * static_cast<double>(rows);
}

}  // namespace

void place_on_grid(std::span<const double> gradients, std::span<const double> hessians, Grid& grid,
                   std::span<Entry> entries, int threads, StopToken& stop) {
  const Index rows = static_cast<Index>(gradients.size());
  const Sizes sizes = sizes_of(gradients, hessians, threads, stop);
  grid.unit_hessian = hessians.empty();
  grid.gradient_step = step_for(sizes.largest_gradient, coarse_gradient_limit + 1.0);
  grid.hessian_step = grid.unit_hessian ? 1.0 : step_for(sizes.largest_hessian, coarse_hessian_limit + 1.0);
  grid.coarse = rows >= coarse_from_rows && resolved(sizes.total_gradient, grid.gradient_step, rows) &&
                (grid.unit_hessian || resolved(sizes.total_hessian, grid.hessian_step, rows));
  if (!grid.coarse) {
    const double exact = 0x1.0p52 / static_cast<double>(rows + 1);
    grid.gradient_step = step_for(sizes.largest_gradient, exact);
    grid.hessian_step = grid.unit_hessian ? 1.0 : step_for(sizes.largest_hessian, exact);
    grid.gradients.resize(static_cast<std::size_t>(rows));
    if (!grid.unit_hessian) grid.hessians.resize(static_cast<std::size_t>(rows));
  }
  const double per_gradient = 1.0 / grid.gradient_step, per_hessian = 1.0 / grid.hessian_step;
  parallel_ranges(rows, rows_per_block, threads, stop, [&](Index first, Index last, int) {
    if (!grid.coarse) {
      for (Index row = first; row < last; ++row) {
        entries[row] = {static_cast<Row>(row), 0};
        grid.gradients[row] = std::rint(gradients[row] * per_gradient) * grid.gradient_step;
      }
      if (grid.unit_hessian) return;
      for (Index row = first; row < last; ++row) {
        grid.hessians[row] = std::rint(hessians[row] * per_hessian) * grid.hessian_step;
      }
      return;
    }
    for (Index row = first; row < last; ++row) {
      const int gradient = std::clamp(static_cast<int>(std::lrint(gradients[row] * per_gradient)),
                                      -coarse_gradient_limit, coarse_gradient_limit);
      const int hessian =
          grid.unit_hessian ? 0
                            : std::min(static_cast<int>(std::lrint(hessians[row] * per_hessian)), coarse_hessian_limit);
      entries[row] = {static_cast<Row>(row),
                      static_cast<std::uint32_t>(gradient) << 16 | static_cast<std::uint32_t>(hessian)};
    }
  });
}

}  // namespace certus::boosting
