#include "boosting/grid.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace certus::boosting {
namespace {

constexpr Index rows_per_block = 16384;
// The coarse grid is fine enough if typical values are at least this many steps.
constexpr double typical_steps = 8.0;
constexpr double fine_steps = 0x1.0p36, exact_steps = 0x1.0p52;

// Largest and total absolute values: without weights for the fine grid, with weights for the coarse one.
struct Sizes {
  double gradient = 0.0, hessian = 0.0;
  double weighted_gradient = 0.0, weighted_hessian = 0.0;
  double total_gradient = 0.0, total_hessian = 0.0;

  void add(double g, double h, double w) {
    gradient = std::max(gradient, g);
    hessian = std::max(hessian, h);
    weighted_gradient = std::max(weighted_gradient, w * g);
    weighted_hessian = std::max(weighted_hessian, w * h);
    total_gradient += w * g;
    total_hessian += w * h;
  }
};

Sizes sizes_of(const Derivatives& of, int threads, StopToken& stop) {
  const Index rows = static_cast<Index>(of.gradients.size());
  return ordered_reduce(
      block_count(rows, rows_per_block), threads, stop, Sizes{},
      [&](Index block) {
        Sizes sizes;
        const Index last = std::min(rows, (block + 1) * rows_per_block);
        for (Index row = block * rows_per_block; row < last; ++row) {
          sizes.add(std::abs(of.gradients[row]), of.hessian(row), of.weight(row));
        }
        return sizes;
      },
      [](Sizes all, const Sizes& block) {
        all.gradient = std::max(all.gradient, block.gradient);
        all.hessian = std::max(all.hessian, block.hessian);
        all.weighted_gradient = std::max(all.weighted_gradient, block.weighted_gradient);
        all.weighted_hessian = std::max(all.weighted_hessian, block.weighted_hessian);
        all.total_gradient += block.total_gradient;
        all.total_hessian += block.total_hessian;
        return all;
      });
}

// The smallest power of two with largest <= limit * step, but a normal number.
double step_for(double largest, double limit) {
  if (!(largest > 0.0)) return 1.0;
  return std::max(std::exp2(std::ceil(std::log2(largest / limit))), 0x1.0p-1022);
}

// Steps of the fine grid, of a derivative and of its product with the weight of its row.
class FineSteps {
 public:
  FineSteps(double largest, double total)
      : before_(step_for(largest, fine_steps)), after_(step_for(2.0 * total, exact_steps)) {}
  double on_grid(double derivative, double weight) const {
    const double product = weight * (std::rint(derivative * per_before_) * before_);
    return std::rint(product * per_after_) * after_;
  }

 private:
  double before_, after_;  // powers of two, as are their reciprocals
  double per_before_ = 1.0 / before_, per_after_ = 1.0 / after_;
};

void choose_steps(const Sizes& sizes, Index rows, Grid& grid) {
  const auto resolved = [&](double total, double step) {
    return total >= typical_steps * step * static_cast<double>(rows);
  };
  grid.gradient_step = step_for(sizes.weighted_gradient, coarse_gradient_limit + 1.0);
  grid.hessian_step = step_for(sizes.weighted_hessian, coarse_hessian_limit + 1.0);
  grid.coarse = rows >= coarse_from_rows && resolved(sizes.total_gradient, grid.gradient_step) &&
                (grid.unit_hessian || resolved(sizes.total_hessian, grid.hessian_step));
}

void round_finely(const Derivatives& of, const Sizes& sizes, Grid& grid, std::span<Entry> entries,
                  Index first, Index last) {
  const FineSteps gradient(sizes.gradient, sizes.total_gradient), hessian(sizes.hessian, sizes.total_hessian);
  for (Index row = first; row < last; ++row) {
    const double weight = of.weight(row);
    entries[row] = {static_cast<Row>(row), 0};
    grid.gradients[row] = gradient.on_grid(of.gradients[row], weight);
    if (!grid.unit_hessian) grid.hessians[row] = hessian.on_grid(of.hessian(row), weight);
  }
}

void round_coarsely(const Derivatives& of, const Grid& grid, std::span<Entry> entries, Index first,
                    Index last) {
  const double per_gradient = 1.0 / grid.gradient_step;
  const double per_hessian = grid.unit_hessian ? 0.0 : 1.0 / grid.hessian_step;
  for (Index row = first; row < last; ++row) {
    const double weight = of.weight(row);
    const int gradient = std::clamp(static_cast<int>(std::lrint(weight * of.gradients[row] * per_gradient)),
                                    -coarse_gradient_limit, coarse_gradient_limit);
    const int hessian =
        std::min(static_cast<int>(std::lrint(weight * of.hessian(row) * per_hessian)), coarse_hessian_limit);
    entries[row] = {static_cast<Row>(row),
                    static_cast<std::uint32_t>(gradient) << 16 | static_cast<std::uint32_t>(hessian)};
  }
}

}  // namespace

void place_on_grid(const Derivatives& of, Grid& grid, std::span<Entry> entries, int threads,
                   StopToken& stop) {
  const Index rows = static_cast<Index>(of.gradients.size());
  grid.unit_hessian = of.unit_hessian();
  const Sizes sizes = sizes_of(of, threads, stop);
  choose_steps(sizes, rows, grid);
  if (!grid.coarse) {
    grid.gradients.resize(static_cast<std::size_t>(rows));
    if (!grid.unit_hessian) grid.hessians.resize(static_cast<std::size_t>(rows));
  }
  parallel_ranges(rows, rows_per_block, threads, stop, [&](Index first, Index last, int) {
    if (grid.coarse) {
      round_coarsely(of, grid, entries, first, last);
    } else {
      round_finely(of, sizes, grid, entries, first, last);
    }
  });
}

}  // namespace certus::boosting
