// Methods that go row by row, against the same recursions written out plainly and against the conditions of
// optimality.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/rng.hpp"
#include "linear/dual_descent.hpp"
#include "linear/joint_descent.hpp"
#include "linear/logistic_descent.hpp"
#include "linear/sag.hpp"
#include "linear/stochastic_descent.hpp"
#include "tests/check.hpp"

namespace certus::linear {
namespace {

constexpr Index rows = 40, columns = 3;

// A dense table and the same table in compressed rows; about a third of the entries are zero.
struct Table {
  std::vector<double> dense;
  std::vector<std::int32_t> starts{0}, places;
  std::vector<double> values;
  std::vector<double> signs;

  Table() {
    Rng rng(7);
    for (Index i = 0; i < rows; ++i) {
      double score = 0.3;
      for (Index j = 0; j < columns; ++j) {
        const double value = rng.uniform() < 0.35 ? 0.0 : rng.normal();
        dense.push_back(value);
        score += value * static_cast<double>(j - 1);
        if (value == 0.0) continue;
        places.push_back(static_cast<std::int32_t>(j));
        values.push_back(value);
      }
      starts.push_back(static_cast<std::int32_t>(values.size()));
      signs.push_back(score + 0.5 * rng.normal() > 0.0 ? 1.0 : -1.0);
    }
  }
  DenseRows<double> full(double constant) const { return {{dense.data(), rows, columns}, constant}; }
  DoubleShort thin(double constant) const { return {{starts, places, values}, columns, constant}; }
  double at(Index i, Index j) const { return dense[static_cast<std::size_t>(i * columns + j)]; }
};

struct SagRun {
  std::vector<double> coef = std::vector<double>(columns), sums = std::vector<double>(columns);
  std::vector<double> slopes = std::vector<double>(rows);
  std::vector<std::uint8_t> seen = std::vector<std::uint8_t>(rows);
  double intercept = 0.0, intercept_sum = 0.0;
  SagState state() { return {coef, {&intercept, 1}, sums, {&intercept_sum, 1}, slopes, seen}; }
};

std::vector<double> zero_or_one(const std::vector<double>& signs) {
  std::vector<double> labels;
  for (const double sign : signs) labels.push_back(sign > 0.0 ? 1.0 : 0.0);
  return labels;
}

// The published recursion with whole vectors; the last entry is the intercept, which is not shrunk.
std::array<double, columns + 1> plain_sag(const Table& table, const SagProblem& problem, std::uint64_t seed,
                                          std::uint64_t epochs) {
  std::array<double, columns + 1> w{};
  std::vector<double> slopes(rows);
  std::vector<bool> seen(rows);
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    Rng rng(seed, (std::uint64_t{1} << 32) + epoch);
    for (Index draw = 0; draw < rows; ++draw) {
      const auto row = static_cast<std::size_t>(rng.below(rows));
      const auto entry = [&](std::size_t i, std::size_t j) {
        return j < columns ? table.at(static_cast<Index>(i), static_cast<Index>(j)) : 1.0;
      };
      seen[row] = true;
      double score = 0.0;
      for (std::size_t j = 0; j <= columns; ++j) score += entry(row, j) * w[j];
      const double slope = 1.0 / (1.0 + std::exp(-score)) - problem.target[row];
      const double change = slope - slopes[row];
      const auto count = static_cast<double>(std::count(seen.begin(), seen.end(), true));
      for (std::size_t j = 0; j <= columns; ++j) {
        double sum = problem.unbiased ? 0.0 : change * entry(row, j);
        for (std::size_t i = 0; i < rows; ++i) sum += slopes[i] * entry(i, j);
        const double extra = problem.unbiased ? change * entry(row, j) : 0.0;
        w[j] = (j < columns ? 1.0 - problem.step * problem.strength : 1.0) * w[j] -
               problem.step * (sum / count + extra);
      }
      slopes[row] = slope;
    }
  }
  return w;
}

template <class Rows>
void check_sag(const Table& table, const Rows& x, bool unbiased) {
  const std::vector<double> labels = zero_or_one(table.signs);
  const SagProblem problem{LossKind::logistic, labels, {}, 1, 0.05, 0.1, 1.0, unbiased};
  SagRun run;
  StopToken stop;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) sag_epoch(x, problem, 5, epoch, stop, run.state());
  const auto wanted = plain_sag(table, problem, 5, 3);
  for (std::size_t j = 0; j < columns; ++j) CHECK_CLOSE(run.coef[j], wanted[j], 1e-12);
  CHECK_CLOSE(run.intercept, wanted[columns], 1e-12);
}

TEST(average_gradients_follow_their_recursions) {
  const Table table;
  for (const bool unbiased : {false, true}) {
    check_sag(table, table.full(0.0), unbiased);
    check_sag(table, table.thin(0.0), unbiased);
  }
}

struct BoxArrays {
  std::vector<double> lower = std::vector<double>(rows), upper = std::vector<double>(rows);
  std::vector<double> ridge = std::vector<double>(rows);
  BoxArrays(const Table& table, double cost) {
    for (std::size_t i = 0; i < rows; ++i) (table.signs[i] > 0.0 ? upper : lower)[i] = table.signs[i] * cost;
  }
};

template <class Rows>
std::vector<double> descended(const Table& table, const Rows& x, double cost) {
  const BoxArrays box(table, cost);
  const BoxDualFamily family{{table.signs.data(), 1, rows},
                             {box.lower.data(), 1, rows},
                             {box.upper.data(), 1, rows},
                             {box.ridge.data(), 1, rows},
                             0.0};
  std::vector<double> b(rows), w(columns + 1);
  std::int64_t passes = 0;
  std::uint8_t converged = 0;
  const std::int64_t number = 0;
  std::vector<double> memory(DescentMemory::count);
  StopToken stop;
  dual_descent(x, family, DescentRule{1e-10, false, 0.0, 100000, 3, 0}, 1, stop,
               {{&number, 1},
                {b.data(), 1, rows},
                {w.data(), 1, columns + 1},
                {&passes, 1},
                {&converged, 1},
                {memory.data(), 1, DescentMemory::count}});
  CHECK_EQUAL(int{converged}, 1);
  for (Index i = 0; i < rows; ++i) {  // margin above 1: b at 0; below 1: b at its bound
    const auto at = static_cast<std::size_t>(i);
    const double margin = table.signs[at] * x.dot(i, w.data()), size = table.signs[at] * b[at];
    CHECK(size >= 0.0 && size <= cost);
    if (margin > 1.0 + 1e-8) CHECK_EQUAL(size, 0.0);
    if (margin < 1.0 - 1e-8) CHECK_EQUAL(size, cost);
  }
  return w;
}

TEST(dual_descent_meets_the_conditions_of_optimality) {
  const Table table;
  for (const double cost : {0.1, 10.0}) {
    const auto full = descended(table, table.full(1.0), cost), thin = descended(table, table.thin(1.0), cost);
    for (std::size_t j = 0; j <= columns; ++j) CHECK_CLOSE(full[j], thin[j], 1e-6);
  }
}

std::vector<double> twice(std::vector<double> values) {
  values.insert(values.end(), values.begin(), values.begin() + rows);
  return values;
}

TEST(dual_descent_has_equal_bits_for_any_number_of_threads) {
  const Table table;
  const BoxArrays box(table, 1.0);
  const auto target = twice(table.signs), lower = twice(box.lower), upper = twice(box.upper);
  const auto ridge = twice(box.ridge);
  const BoxDualFamily family{{target.data(), 2, rows},
                             {lower.data(), 2, rows},
                             {upper.data(), 2, rows},
                             {ridge.data(), 2, rows},
                             0.0};
  std::vector<double> found[2];
  for (int threads : {1, 2}) {
    std::vector<double> b(2 * rows), w(2 * (columns + 1));
    std::array<std::int64_t, 2> passes{};
    std::array<std::uint8_t, 2> converged{};
    const std::array<std::int64_t, 2> numbers{0, 1};
    std::vector<double> memory(2 * DescentMemory::count);
    StopToken stop;
    dual_descent(table.full(1.0), family, DescentRule{1e-3, false, 0.0, 50, 3, 0}, threads, stop,
                 {numbers,
                  {b.data(), 2, rows},
                  {w.data(), 2, columns + 1},
                  passes,
                  converged,
                  {memory.data(), 2, DescentMemory::count}});
    found[threads - 1] = w;
  }
  CHECK(found[0] == found[1]);
}

TEST(joint_descent_of_two_classes_is_one_machine) {
  // With two classes w_1 = -w_0 = v / 2, and the objective is half of |v|^2 / 2 + 2 C sum of hinge losses of
  // v.
  const Table table;
  std::vector<std::int64_t> labels;
  for (const double sign : table.signs) labels.push_back(sign > 0.0 ? 1 : 0);
  const std::vector<double> costs(rows, 0.8);
  std::vector<double> a(2 * rows), w(2 * (columns + 1));
  StopToken stop;
  const JointResult result =
      joint_descent(table.full(1.0), labels, costs, DescentRule{1e-9, false, 0.0, 100000, 1, 0}, stop,
                    {a.data(), rows, 2}, {w.data(), 2, columns + 1});
  CHECK(result.converged);
  const auto single = descended(table, table.full(1.0), 1.6);
  for (std::size_t j = 0; j <= columns; ++j) {
    CHECK_CLOSE(w[j] + w[columns + 1 + j], 0.0, 1e-9);
    CHECK_CLOSE(w[columns + 1 + j] - w[j], single[j], 1e-5);
  }
}

template <class Rows>
std::vector<double> logistic_descended(const Table& table, const Rows& x, double strength) {
  std::vector<double> weights(rows, 1.0);
  weights[3] = 0.0;
  weights[5] = 2.5;
  std::vector<double> multipliers, w(columns + 1);
  for (Index i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    multipliers.push_back(1e-3 * weights[at]);
    x.add(i, table.signs[at] * multipliers[at] / strength, w.data());
  }
  StopToken stop;
  const LogisticDescentResult result = logistic_descent(
      x, table.signs, weights, LogisticDescentRule{strength, 1e-11, 10000, 5, 0}, stop, multipliers, w);
  CHECK(result.converged);
  // The gradient of the primal objective vanishes.
  std::vector<double> gradient(columns + 1);
  for (std::size_t j = 0; j <= columns; ++j) gradient[j] = strength * w[j];
  for (Index i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double margin = table.signs[at] * x.dot(i, w.data());
    x.add(i, -table.signs[at] * weights[at] / (1.0 + std::exp(margin)), gradient.data());
  }
  for (const double value : gradient) CHECK_CLOSE(value, 0.0, 1e-9);
  return w;
}

TEST(logistic_descent_ends_where_the_gradient_vanishes) {
  const Table table;
  for (const double strength : {0.01, 1.0, 100.0}) {
    const auto full = logistic_descended(table, table.full(1.0), strength);
    const auto thin = logistic_descended(table, table.thin(1.0), strength);
    for (std::size_t j = 0; j <= columns; ++j) CHECK_CLOSE(full[j], thin[j], 1e-8);
  }
}

struct StochasticRun {
  std::vector<double> coef = std::vector<double>(columns + 1), average, l1_taken;
  std::vector<double> numbers = std::vector<double>(StochasticState::count);
  StochasticRun() { numbers[StochasticState::steps] = 1.0; }
  StochasticState state() { return {coef, average, l1_taken, numbers}; }
};

template <class Rows>
void check_pegasos(const Table& table, const Rows& x) {
  StochasticOptions options;
  options.loss = {LossKind::hinge};
  options.rule = StepRule::pegasos;
  options.alpha = 0.1;
  options.shuffle = false;
  options.tol = -std::numeric_limits<double>::infinity();
  StochasticRun run;
  StopToken stop;
  stochastic_descent(x, StochasticProblem{table.signs, {}, {}}, options, 0, 2, stop, run.state());
  std::array<double, columns> w{};
  double intercept = 0.0;
  for (Index step = 0; step < 2 * rows; ++step) {
    const Index row = step % rows;
    double score = intercept;
    for (Index j = 0; j < columns; ++j) score += table.at(row, j) * w[static_cast<std::size_t>(j)];
    const double size = 1.0 / (options.alpha * (static_cast<double>(step) + 2.0));
    const double sign = table.signs[static_cast<std::size_t>(row)];
    const double update = sign * score <= 1.0 ? size * sign : 0.0;
    for (Index j = 0; j < columns; ++j) {
      double& value = w[static_cast<std::size_t>(j)];
      value = (1.0 - size * options.alpha) * value + update * table.at(row, j);
    }
    intercept += update;
  }
  for (std::size_t j = 0; j < columns; ++j) CHECK_CLOSE(run.coef[j], w[j], 1e-12);
  CHECK_CLOSE(run.numbers[StochasticState::intercept], intercept, 1e-12);
}

TEST(stochastic_descent_follows_its_recursion) {
  const Table table;
  check_pegasos(table, table.full(0.0));
  check_pegasos(table, table.thin(0.0));
}

}  // namespace
}  // namespace certus::linear
