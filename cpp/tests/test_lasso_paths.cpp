#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "core/rng.hpp"
#include "linear/anderson.hpp"
#include "linear/coordinate_descent.hpp"
#include "linear/gram_path.hpp"
#include "linear/working_set.hpp"

namespace {

using namespace certus;
using namespace certus::linear;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A random table, dense and as sparse columns with the same numbers (a share of them 0), and its targets.
struct Data {
  Data(Index rows_, Index cols_, Index targets_, double share, std::uint64_t seed)
      : rows(rows_), cols(cols_), targets(targets_), x(at(rows_ * cols_)), y(at(targets_ * rows_)) {
    Rng rng(seed);
    starts.push_back(0);
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        const double value = rng.uniform() < share ? rng.normal() : 0.0;
        x[at(j * rows + i)] = value;
        if (value == 0.0) continue;
        places.push_back(static_cast<std::int32_t>(i));
        values.push_back(value);
      }
      starts.push_back(static_cast<std::int32_t>(values.size()));
    }
    for (Index t = 0; t < targets; ++t) {
      for (Index j = 0; j < std::min<Index>(cols, 5); ++j) {
        const double w = rng.normal();
        for (Index i = 0; i < rows; ++i) y[at(t * rows + i)] += w * x[at(j * rows + i)];
      }
      for (Index i = 0; i < rows; ++i) y[at(t * rows + i)] += 0.3 * rng.normal();
    }
    root.assign(at(rows), 1.0);
    mean.assign(at(cols), 0.0);
    squares.resize(at(cols));
  }

  DenseColumns<double> dense() const { return {{x.data(), rows, cols, 1, rows}}; }
  CompressedColumns<double, std::int32_t> sparse() const { return {{starts, places, values}, rows}; }
  template <class Store>
  CenteredColumns<Store> table(const Store& store, bool center) {
    StopToken stop;
    column_moments(store, std::span<const double>(root), center, 1, stop, std::span<double>(mean),
                   std::span<double>(squares));
    return {store, mean, root, squares, static_cast<double>(rows)};
  }
  double squared_target() const {
    double sum = 0.0;
    for (const double value : y) sum += value * value;
    return sum;
  }

  Index rows, cols, targets;
  std::vector<double> x, y, values, root, mean, squares;
  std::vector<std::int32_t> starts, places;
};

struct Run {
  explicit Run(Index points, Index size)
      : coefs(at(points * size)), gaps(at(points)), objectives(at(points)), sweeps(at(points)), rounds(200) {}
  PathRecord record() {
    const auto points = static_cast<Index>(gaps.size());
    return {{coefs.data(), points, static_cast<Index>(coefs.size()) / points},
            gaps,
            objectives,
            sweeps,
            {rounds.data(), 100, 2}};
  }
  std::vector<double> coefs, gaps, objectives;
  std::vector<std::int64_t> sweeps;
  std::vector<double> rounds;
};

template <class Store>
Run solve(Data& data, const Store& store, const PathOptions& options, int threads, bool center = false) {
  const auto table = data.table(store, center);
  Run run(static_cast<Index>(options.l1.size()), data.cols * data.targets);
  StopToken stop;
  WorkingSetPath<Store>(table, {data.y.data(), data.targets, data.rows}, center, options, threads, stop)
      .run(run.record());
  return run;
}

// The optimality conditions: |X_j'R - l2 w_j| <= l1, with equality and the direction of w_j where w_j is not
// 0.
double violation(const Data& data, const double* coef, const BlockPenalty& penalty) {
  std::vector<double> residual = data.y;
  for (Index t = 0; t < data.targets; ++t) {
    for (Index j = 0; j < data.cols; ++j) {
      for (Index i = 0; i < data.rows; ++i) {
        residual[at(t * data.rows + i)] -= coef[j * data.targets + t] * data.x[at(j * data.rows + i)];
      }
    }
  }
  double worst = 0.0;
  for (Index j = 0; j < data.cols; ++j) {
    const double* w = coef + j * data.targets;
    const double size = block_norm(w, data.targets, 1);
    double norm = 0.0, apart = 0.0;
    for (Index t = 0; t < data.targets; ++t) {
      double slope = -penalty.l2 * w[t];
      for (Index i = 0; i < data.rows; ++i) {
        slope += data.x[at(j * data.rows + i)] * residual[at(t * data.rows + i)];
      }
      if (penalty.positive) slope = size > 0.0 ? slope : std::max(slope, 0.0);
      norm += slope * slope;
      const double wanted = size > 0.0 ? penalty.l1 * w[t] / size : 0.0;
      apart += (slope - wanted) * (slope - wanted);
    }
    worst = std::max(worst, size > 0.0 ? std::sqrt(apart) : std::sqrt(norm) - penalty.l1);
  }
  return worst;
}

PathOptions options_for(const std::vector<double>& l1, const std::vector<double>& l2, double wanted,
                        bool positive = false) {
  PathOptions options;
  options.l1 = l1;
  options.l2 = l2;
  options.positive = positive;
  options.wanted = wanted;
  options.max_sweeps = 100'000;
  return options;
}

TEST(working_sets_satisfy_the_optimality_conditions) {
  for (const bool positive : {false, true}) {
    for (const Index targets : {Index{1}, Index{3}}) {
      if (positive && targets > 1) continue;
      Data data(40, 150, targets, 1.0, 7);
      const std::vector<double> l1{20.0, 8.0, 2.0, 0.5}, l2{0.0, 1.0, 0.0, 0.3};
      const auto options = options_for(l1, l2, 1e-13 * data.squared_target(), positive);
      Run run = solve(data, data.dense(), options, 1);
      for (std::size_t point = 0; point < l1.size(); ++point) {
        CHECK(run.gaps[point] <= 1e-12 * data.squared_target());
        const double* coef = run.record().coefs.row(static_cast<Index>(point));
        CHECK(violation(data, coef, {l1[point], l2[point], positive}) < 1e-4);
        if (positive) CHECK(*std::min_element(coef, coef + data.cols) >= 0.0);
      }
    }
  }
}

TEST(sparse_columns_find_the_optimum_of_dense_ones) {
  for (const bool center : {false, true}) {
    Data data(60, 120, 1, 0.08, 3);
    const std::vector<double> l1{1.0, 0.3}, l2{0.0, 0.1};
    const auto options = options_for(l1, l2, 1e-12);
    const Run dense = solve(data, data.dense(), options, 1, center);
    const Run sparse = solve(data, data.sparse(), options, 1, center);
    for (std::size_t k = 0; k < dense.coefs.size(); ++k) CHECK_CLOSE(dense.coefs[k], sparse.coefs[k], 1e-4);
    for (std::size_t k = 0; k < l1.size(); ++k) CHECK_CLOSE(dense.objectives[k], sparse.objectives[k], 1e-9);
  }
}

TEST(paths_have_equal_bits_for_any_number_of_threads) {
  Data data(50, 700, 1, 1.0, 11);
  const std::vector<double> l1{15.0, 5.0, 1.0}, l2(3, 0.0);
  const auto options = options_for(l1, l2, 1e-8 * data.squared_target());
  const Run one = solve(data, data.dense(), options, 1), three = solve(data, data.dense(), options, 3);
  CHECK(one.coefs == three.coefs);
  CHECK(one.gaps == three.gaps);
}

TEST(a_gram_matrix_gives_the_path_of_its_table) {
  Data data(200, 20, 2, 1.0, 5);
  std::vector<double> gram(400), cross(40);
  for (Index a = 0; a < 20; ++a) {
    for (Index i = 0; i < 200; ++i) {
      for (Index b = 0; b < 20; ++b)
        gram[at(a * 20 + b)] += data.x[at(a * 200 + i)] * data.x[at(b * 200 + i)];
      for (Index t = 0; t < 2; ++t)
        cross[at(t * 20 + a)] += data.x[at(a * 200 + i)] * data.y[at(t * 200 + i)];
    }
  }
  const std::vector<double> l1{40.0, 5.0}, l2{0.0, 2.0};
  const auto options = options_for(l1, l2, 1e-12 * data.squared_target());
  Run run(2, 40);
  StopToken stop;
  solve_gram_path({gram.data(), 20, 20}, {cross.data(), 2, 20}, data.squared_target(), options, stop,
                  run.record());
  const Run table = solve(data, data.dense(), options, 1);
  for (std::size_t k = 0; k < run.coefs.size(); ++k) CHECK_CLOSE(run.coefs[k], table.coefs[k], 1e-5);
  CHECK(violation(data, run.record().coefs.row(1), {5.0, 2.0, false}) < 1e-3);
}

TEST(rounds_are_recorded_and_limited) {
  Data data(40, 400, 1, 1.0, 13);
  const std::vector<double> l1{1.0}, l2{0.0};
  auto options = options_for(l1, l2, 1e-10);
  const Run whole = solve(data, data.dense(), options, 1);
  CHECK_CLOSE(whole.rounds[0], 0.5 * data.squared_target(), 1e-9);  // zero coefficients
  options.max_rounds = 1;
  const Run first = solve(data, data.dense(), options, 1);
  CHECK(first.gaps[0] > whole.gaps[0]);
  CHECK_CLOSE(first.rounds[2], first.objectives[0], 1e-12);
  CHECK(whole.objectives[0] <= first.objectives[0]);
}

TEST(a_stopped_path_ends_at_once) {
  Data data(40, 400, 1, 1.0, 17);
  const std::vector<double> l1{1.0, 0.5}, l2{0.0, 0.0};
  const auto options = options_for(l1, l2, 0.0);
  const auto store = data.dense();
  const auto table = data.table(store, false);
  Run run(2, data.cols);
  run.gaps[1] = -1.0;
  StopToken stop;
  stop.request();
  WorkingSetPath<DenseColumns<double>>(table, {data.y.data(), 1, data.rows}, false, options, 1, stop)
      .run(run.record());
  CHECK_EQUAL(run.gaps[1], -1.0);  // the second point was not begun
}

TEST(columns_of_zeros_and_duplicates_do_no_harm) {
  Data data(30, 60, 1, 1.0, 19);
  std::fill_n(data.x.begin() + 30 * 3, 30, 0.0);
  std::copy_n(data.x.begin(), 30, data.x.begin() + 30 * 4);
  const std::vector<double> l1{0.5}, l2{0.0};
  const auto options = options_for(l1, l2, 1e-10);
  Run run = solve(data, data.dense(), options, 1);
  CHECK_EQUAL(run.coefs[3], 0.0);
  CHECK(run.gaps[0] <= 1e-9);
  CHECK(violation(data, run.record().coefs.row(0), {0.5, 0.0, false}) < 1e-3);
}

TEST(extrapolation_finds_the_fixed_point_of_a_linear_recursion) {
  // x -> A x + b with a diagonal A of four rates: five changes determine the limit.
  const std::vector<double> rate{0.9, 0.6, 0.3, 0.1};
  std::vector<double> x(4, 0.0), carried(1), limit(4), after(1);
  Anderson anderson;
  bool ready = false;
  for (int step = 0; step < 20 && !ready; ++step) {
    for (std::size_t k = 0; k < 4; ++k) x[k] = rate[k] * x[k] + 1.0;
    carried[0] = 2.0 * x[0] + 1.0;
    ready = anderson.keep(x.data(), 4, carried.data(), 1);
  }
  CHECK(ready);
  CHECK(anderson.extrapolate(limit.data(), after.data()));
  for (std::size_t k = 0; k < 4; ++k) CHECK_CLOSE(limit[k], 1.0 / (1.0 - rate[k]), 1e-4);
  CHECK_CLOSE(after[0], 2.0 * limit[0] + 1.0, 1e-6);
}

TEST(the_model_step_of_sparse_columns_is_that_of_their_hessian) {
  Data data(50, 12, 1, 0.4, 23);
  Rng rng(1);
  std::vector<double> curvature(50), gradient(12), place(12), diagonal(12), hessian(144), weighted(50);
  for (double& value : curvature) value = 0.1 + rng.uniform();
  for (double& value : gradient) value = rng.normal();
  for (double& value : place) value = rng.uniform() < 0.5 ? rng.normal() : 0.0;
  for (Index a = 0; a < 12; ++a) {
    for (Index b = 0; b < 12; ++b) {
      for (Index i = 0; i < 50; ++i) {
        hessian[at(a * 12 + b)] += curvature[at(i)] * data.x[at(a * 50 + i)] * data.x[at(b * 50 + i)];
      }
    }
    diagonal[at(a)] = hessian[at(a * 13)];
  }
  const ElasticNet options{0.3, 0.05, 12, 1e-20, 10'000};
  std::vector<double> by_hessian(12), by_columns(12);
  StopToken stop;
  descend_gram({hessian.data(), 12, 12}, gradient, place, options, stop, by_hessian);
  descend_columns<double, std::int32_t>({data.starts, data.places, data.values}, curvature, diagonal,
                                        gradient, place, options, stop, by_columns, weighted);
  for (std::size_t k = 0; k < 12; ++k) CHECK_CLOSE(by_hessian[k], by_columns[k], 1e-7);
}

}  // namespace
