#include "cluster/seeding.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/parallel.hpp"

namespace certus::cluster {
namespace {

constexpr Index groups_in_block = 128;

// Draws of rows by running sums.
class Draw {
 public:
  Draw(std::span<const double> weights, std::span<const std::int64_t> order)
      : weights_(weights), order_(order), sums_(order.size()) {}

  // Running sums of weight times d^2; for the first center every d is 1.
  template <class T>
  double prepare(const std::vector<T>* squared) {
    double sum = 0.0;
    for (std::size_t place = 0; place < order_.size(); ++place) {
      const auto row = static_cast<std::size_t>(order_[place]);
      sum += squared == nullptr ? weights_[row] : weights_[row] * static_cast<double>((*squared)[row]);
      sums_[place] = sum;
    }
    return sum;
  }

  std::int64_t row(double uniform) const {
    const double target = uniform * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), target);
    // Rounding may let the target reach the total: then the last row that adds to it.
    const auto place =
        found != sums_.end() ? found : std::lower_bound(sums_.begin(), sums_.end(), sums_.back());
    return order_[static_cast<std::size_t>(place - sums_.begin())];
  }

 private:
  std::span<const double> weights_;
  std::span<const std::int64_t> order_;
  std::vector<double> sums_;
};

// closest[c][i] = min(before[i], |x_i - candidate_c|^2) for all rows; returns the sum of weight times that.
template <class T>
std::vector<double> try_candidates(const GroupedRows<T>& rows, std::span<const double> weights,
                                   const std::vector<T>& candidates, Index count,
                                   const std::vector<T>& before, int threads, StopToken& stop,
                                   std::vector<std::vector<T>>& closest) {
  const Index blocks = block_count(rows.count(), groups_in_block);
  std::vector<double> parts(static_cast<std::size_t>(blocks * count), 0.0);
  parallel_ranges(rows.count(), groups_in_block, threads, stop, [&](Index first, Index last, int) {
    std::vector<T> found(static_cast<std::size_t>(count * lanes));
    double* sums = parts.data() + first / groups_in_block * count;
    for (Index g = first; g < last && !stop.poll(); ++g) {
      distances(rows.group(g), rows.columns(), candidates.data(), count, found.data());
      for (Index c = 0; c < count; ++c) {
        T* mine = closest[static_cast<std::size_t>(c)].data() + g * lanes;
        for (Index lane = 0; lane < rows.used(g); ++lane) {
          const auto row = static_cast<std::size_t>(g * lanes + lane);
          mine[lane] = std::min(before[row], found[static_cast<std::size_t>(c * lanes + lane)]);
          sums[c] += weights[row] * static_cast<double>(mine[lane]);
        }
      }
    }
  });
  std::vector<double> total(static_cast<std::size_t>(count), 0.0);
  for (Index b = 0; b < blocks; ++b) {
    for (Index c = 0; c < count; ++c) {
      total[static_cast<std::size_t>(c)] += parts[static_cast<std::size_t>(b * count + c)];
    }
  }
  return total;
}

}  // namespace

template <class T>
void seed_centers(const GroupedRows<T>& rows, std::span<const double> weights,
                  std::span<const std::int64_t> order, View2D<const double> uniforms, int threads,
                  StopToken& stop, std::span<std::int64_t> chosen) {
  const auto n = static_cast<std::size_t>(rows.rows());
  const Index tries = uniforms.cols;
  Draw draw(weights, order);
  draw.template prepare<T>(nullptr);
  std::vector<T> closest(n, std::numeric_limits<T>::infinity());
  std::vector<std::vector<T>> offered(static_cast<std::size_t>(tries), std::vector<T>(n));
  std::vector<T> candidates(static_cast<std::size_t>(tries * rows.columns()));
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(tries));
  for (std::size_t step = 0; step < chosen.size() && !stop.requested(); ++step) {
    const Index count = step == 0 ? 1 : tries;  // before the first center all draws are equally good
    // When every row sits on a center already, any row will do.
    if (step > 0 && !(draw.prepare(&closest) > 0.0)) draw.template prepare<T>(nullptr);
    for (Index c = 0; c < count; ++c) {
      drawn[static_cast<std::size_t>(c)] = draw.row(uniforms(static_cast<Index>(step), c));
      rows.copy_row(drawn[static_cast<std::size_t>(c)], candidates.data() + c * rows.columns());
    }
    const auto left = try_candidates(rows, weights, candidates, count, closest, threads, stop, offered);
    const auto best = static_cast<std::size_t>(std::min_element(left.begin(), left.end()) - left.begin());
    chosen[step] = drawn[best];
    closest.swap(offered[best]);
  }
}

template void seed_centers<float>(const GroupedRows<float>&, std::span<const double>,
                                  std::span<const std::int64_t>, View2D<const double>, int, StopToken&,
                                  std::span<std::int64_t>);
template void seed_centers<double>(const GroupedRows<double>&, std::span<const double>,
                                   std::span<const std::int64_t>, View2D<const double>, int, StopToken&,
                                   std::span<std::int64_t>);

}  // namespace certus::cluster
