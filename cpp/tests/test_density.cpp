#include <cmath>
#include <vector>

#include "neighbors/density.hpp"
#include "tests/check.hpp"

namespace certus::neighbors {

namespace {

std::vector<double> numbers(Index count) {
  std::vector<double> found(static_cast<std::size_t>(count));
  double state = 0.5;
  for (double& value : found) {  // the logistic map: no two alike
    state = 3.9 * state * (1.0 - state);
    value = 4.0 * state - 2.0;
  }
  return found;
}

double plain_sum(const std::vector<double>& rows, const std::vector<double>& weights, Index columns,
                 const double* query, double bandwidth, Index own) {
  double sum = 0.0;
  for (Index i = 0; i < static_cast<Index>(weights.size()); ++i) {
    double square = 0.0;
    for (Index j = 0; j < columns; ++j) {
      const double away = (rows[static_cast<std::size_t>(i * columns + j)] - query[j]) / bandwidth;
      square += away * away;
    }
    if (i != own) sum += weights[static_cast<std::size_t>(i)] * std::exp(-0.5 * square);
  }
  return std::log(sum);
}

}  // namespace

TEST(density_sums_are_those_of_all_pairs_within_the_allowed_error) {
  for (const Index count : {1, 63, 64, 65, 1000}) {
    const Index columns = 3;
    const std::vector<double> rows = numbers(count * columns);
    std::vector<double> weights(static_cast<std::size_t>(count), 2.0);
    StopToken stop;
    const DensityRows groups(View2D<const double>(rows.data(), count, columns), weights, stop);
    const std::vector<double> inverse(3, 1.0 / 0.7);
    std::vector<double> found(static_cast<std::size_t>(count));
    for (const double relative : {0.0, 1e-3}) {
      const DensityRule rule{DensityKernel::gaussian, inverse, 0.0, relative};
      for (const bool leave_out : {false, true}) {
        groups.log_sums(View2D<const double>(rows.data(), count, columns), rule, leave_out, 2, stop, found);
        for (Index i = 0; i < count; ++i) {
          const double exact =
              plain_sum(rows, weights, columns, rows.data() + i * columns, 0.7, leave_out ? i : -1);
          const double seen = found[static_cast<std::size_t>(i)];
          CHECK((seen == exact || std::abs(std::expm1(seen - exact)) <= relative + 1e-10));
        }
      }
    }
  }
}

TEST(densities_at_given_distances_overwrite_them) {
  std::vector<double> distances{0.0, 0.5, 2.0, 0.25, 1.0, 3.0};
  const std::vector<double> weights{1.0, 2.0, 3.0};
  std::vector<double> found(2);
  StopToken stop;
  log_sums_at(View2D<double>(distances.data(), 2, 3), weights, DensityKernel::linear, 1.0, 1, stop, found);
  CHECK(std::abs(found[0] - std::log(1.0 + 2.0 * 0.5)) < 1e-14);
  CHECK(std::abs(found[1] - std::log(0.75)) < 1e-14);
}

}  // namespace certus::neighbors
