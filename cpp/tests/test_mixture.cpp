#include <cmath>
#include <cstdint>
#include <vector>

#include "mixture/gaussian_steps.hpp"
#include "tests/check.hpp"

namespace certus::mixture {
namespace {

constexpr Index rows = 1500, columns = 5, count = 3;

struct Problem {
  std::vector<double> x, weights, means, factors, constants;

  Problem() : x(rows * columns), weights(rows), means(count * columns), factors(count * columns * columns) {
    std::uint64_t state = 1;
    const auto draw = [&state] {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    };
    for (double& value : x) value = 4.0 * draw();
    for (double& value : weights) value = draw() + 0.5;
    for (double& value : means) value = 2.0 * draw();
    for (Index k = 0; k < count; ++k) {
      for (Index i = 0; i < columns; ++i) {
        for (Index j = i; j < columns; ++j)
          factors[(k * columns + i) * columns + j] = (i == j) + 0.3 * draw();
      }
    }
    constants = {-1.0, -2.0, 0.5};
  }

  Components components() const {
    return {{means.data(), count, columns}, {factors.data(), count, columns * columns}, constants};
  }
  double joint(Index i, Index k) const {
    double squares = 0.0;
    for (Index j = 0; j < columns; ++j) {
      double y = 0.0;
      for (Index l = 0; l <= j; ++l) {
        y += factors[(k * columns + l) * columns + j] * (x[i * columns + l] - means[k * columns + l]);
      }
      squares += y * y;
    }
    return constants[k] - 0.5 * squares;
  }
};

struct Found {
  std::vector<double> weight = std::vector<double>(count), first = std::vector<double>(count * columns),
                      second = std::vector<double>(count * columns * columns);
  double likelihood = 0.0;
};

Found moments_of(const Problem& problem, int threads) {
  Found found;
  StopToken stop;
  const Moments out{
      found.weight, {found.first.data(), count, columns}, {found.second.data(), count, columns * columns}};
  found.likelihood =
      add_moments<double>({problem.x.data(), rows, columns}, problem.weights, problem.components(),
                          {problem.means.data(), count, columns}, out, threads, stop);
  return found;
}

bool near(double one, double other) { return std::abs(one - other) <= 1e-9 * (1.0 + std::abs(other)); }

}  // namespace

TEST(moments_of_mixtures_are_plain_sums) {
  const Problem problem;
  const Found found = moments_of(problem, 1);
  std::vector<double> weight(count), second(count * columns * columns);
  double likelihood = 0.0;
  for (Index i = 0; i < rows; ++i) {
    double total = 0.0;
    for (Index k = 0; k < count; ++k) total += std::exp(problem.joint(i, k));
    likelihood += problem.weights[i] * std::log(total);
    for (Index k = 0; k < count; ++k) {
      const double share = problem.weights[i] * std::exp(problem.joint(i, k)) / total;
      weight[k] += share;
      for (Index j = 0; j < columns; ++j) {
        const double moved = problem.x[i * columns + j] - problem.means[k * columns + j];
        for (Index l = 0; l < columns; ++l) {
          const double other = problem.x[i * columns + l] - problem.means[k * columns + l];
          second[(k * columns + j) * columns + l] += share * moved * other;
        }
      }
    }
  }
  CHECK(near(found.likelihood, likelihood));
  for (Index k = 0; k < count; ++k) CHECK(near(found.weight[k], weight[k]));
  for (std::size_t place = 0; place < second.size(); ++place) CHECK(near(found.second[place], second[place]));
}

TEST(moments_of_mixtures_have_equal_bits_for_any_threads) {
  const Problem problem;
  const Found one = moments_of(problem, 1), three = moments_of(problem, 3);
  CHECK(one.likelihood == three.likelihood);
  CHECK(one.first == three.first);
  CHECK(one.second == three.second);
}

TEST(joint_densities_of_mixtures_do_not_depend_on_other_rows) {
  const Problem problem;
  StopToken stop;
  std::vector<double> all(rows * count), one(count);
  log_joint<double>({problem.x.data(), rows, columns}, problem.components(), {all.data(), rows, count}, 2,
                    stop);
  for (Index i = 0; i < rows; i += 131) {
    log_joint<double>({problem.x.data() + i * columns, 1, columns}, problem.components(),
                      {one.data(), 1, count}, 1, stop);
    for (Index k = 0; k < count; ++k) {
      CHECK(one[k] == all[i * count + k]);
      CHECK(near(one[k], problem.joint(i, k)));
    }
  }
}

}  // namespace certus::mixture
