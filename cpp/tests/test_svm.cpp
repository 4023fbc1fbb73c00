#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "core/rng.hpp"
#include "reference_blas.hpp"
#include "svm/batch.hpp"
#include "svm/decision.hpp"
#include "svm/kernel_ops.hpp"
#include "svm/kernel_sums.hpp"

namespace {

using namespace certus;
using namespace certus::svm;

constexpr double gamma_value = 0.3;
const KernelFunction gaussian{KernelKind::gaussian, gamma_value, 0.0, 3};

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Points around one center per class, as dense and as sparse rows.
struct Points {
  Points(Index rows_, Index columns_, Index classes_, std::uint64_t seed) : rows(rows_), columns(columns_) {
    Rng rng(seed);
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(static_cast<int>(i % classes_));
      starts.push_back(static_cast<std::int32_t>(sparse_values.size()));
      for (Index j = 0; j < columns; ++j) {
        const double value = rng.uniform() < 0.3 ? 0.0 : rng.normal() + 0.7 * ((i % classes_ + j) % 3);
        values.push_back(value);
        if (value == 0.0) continue;
        sparse_values.push_back(value);
        sparse_columns.push_back(static_cast<std::int32_t>(j));
      }
    }
    starts.push_back(static_cast<std::int32_t>(sparse_values.size()));
  }

  Table dense() const {
    Table table;
    table.dense = {values.data(), rows, columns};
    table.width = columns;
    return table;
  }
  Table sparse() const { return {{}, sparse_values, sparse_columns, starts, columns}; }
  double kernel(Index a, Index b) const {
    double square = 0.0;
    for (Index j = 0; j < columns; ++j) {
      const double difference = values[at(a * columns + j)] - values[at(b * columns + j)];
      square += difference * difference;
    }
    return std::exp(-gamma_value * square);
  }

  Index rows, columns;
  std::vector<double> values, sparse_values;
  std::vector<std::int32_t> sparse_columns, starts;
  std::vector<int> labels;
};

// C-SVC for all pairs of classes, or for each class against the others.
struct Machine {
  Machine(const Points& points, int classes, bool pairwise) {
    part_starts.push_back(0);
    for (int c = 0; c < classes; ++c) {
      for (Index i = 0; i < points.rows; ++i) {
        if (points.labels[at(i)] == c) part_members.push_back(static_cast<std::int32_t>(i));
      }
      part_starts.push_back(static_cast<std::int64_t>(part_members.size()));
    }
    starts.push_back(0);
    for (int a = 0; a < classes; ++a) {
      for (int b = a + 1; pairwise && b < classes; ++b) {
        add_part(a, -1), add_part(b, 1);
        starts.push_back(static_cast<std::int64_t>(members.size()));
        pairs.push_back(a), pairs.push_back(b);
      }
      if (pairwise) continue;
      for (Index i = 0; i < points.rows; ++i) add(static_cast<std::int32_t>(i), points.labels[at(i)] == a);
      starts.push_back(static_cast<std::int64_t>(members.size()));
    }
    linear.assign(members.size(), -1.0);
    upper.assign(members.size(), 1.0);
  }

  void add(std::int32_t row, bool positive) {
    members.push_back(row);
    sign.push_back(positive ? 1 : -1);
  }
  void add_part(int part, int side) {
    for (std::int64_t k = part_starts[at(part)]; k < part_starts[at(part) + 1]; ++k) {
      add(part_members[at(k)], side > 0);
    }
  }

  void solve(const Table& table, double cache_bytes, bool sharing, int threads, StopToken& stop) {
    const auto problems = static_cast<Index>(starts.size()) - 1;
    alpha.assign(members.size(), 0.0);
    scores.assign(members.size(), 0.0);
    centers.assign(at(2 * problems), 0.0);
    violation.assign(at(problems), 0.0);
    steps.assign(at(problems), 0);
    reasons.assign(at(problems), 0);
    Batch batch{Bias::one, 1, members, starts, sign, linear, upper, {}, {}};
    if (sharing) batch.parts = {part_members, part_starts}, batch.pairs = pairs;
    SolverOptions options;
    options.tolerance = options.fine_tolerance = 1e-4;
    options.cache_bytes = cache_bytes;
    solve_batch(table, gaussian, batch, options, true, threads, stop,
                {alpha, scores, {centers.data(), problems, 2}, violation, steps, reasons});
  }

  // The largest violation over all problems, from scores that are computed entry by entry.
  double recomputed_violation(const Points& points) const {
    double worst = 0.0;
    for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
      double rise = -1e300, fall = 1e300;
      for (std::int64_t t = starts[b]; t < starts[b + 1]; ++t) {
        double score = 0.0;
        for (std::int64_t u = starts[b]; u < starts[b + 1]; ++u) {
          if (alpha[at(u)] != 0.0) {
            score += sign[at(u)] * alpha[at(u)] * points.kernel(members[at(t)], members[at(u)]);
          }
        }
        const double v = sign[at(t)] - score;
        if (may_rise(sign[at(t)], alpha[at(t)], upper[at(t)])) rise = std::max(rise, v);
        if (may_fall(sign[at(t)], alpha[at(t)], upper[at(t)])) fall = std::min(fall, v);
      }
      worst = std::max(worst, rise - fall);
    }
    return worst;
  }

  std::vector<std::int32_t> members, part_members, pairs;
  std::vector<std::int64_t> starts, part_starts;
  std::vector<std::int8_t> sign;
  std::vector<double> linear, upper, alpha, scores, centers, violation;
  std::vector<std::int64_t> steps;
  std::vector<std::int32_t> reasons;
};

constexpr double plenty = 1e9;
constexpr double little = 1e4;  // no matrix fits: rows in single precision, then in double

TEST(svm_every_way_of_solving_is_optimal) {
  testing::fill_blas_with_reference();
  const Points points(330, 5, 3, 1);
  for (const bool pairwise : {true, false}) {
    for (const double cache : {plenty, little}) {
      for (const bool sparse : {true, false}) {
        StopToken stop;
        Machine machine(points, 3, pairwise);
        machine.solve(sparse ? points.sparse() : points.dense(), cache, pairwise, 2, stop);
        CHECK(*std::max_element(machine.violation.begin(), machine.violation.end()) <= 1e-4);
        CHECK(machine.recomputed_violation(points) <= 1e-4 + 1e-10);
      }
    }
  }
}

TEST(svm_bits_do_not_depend_on_threads) {
  testing::fill_blas_with_reference();
  const Points points(900, 4, 4, 2);
  for (const bool pairwise : {true, false}) {
    for (const double cache : {plenty, little}) {
      std::vector<double> first;
      for (const int threads : {1, 3}) {
        StopToken stop;
        Machine machine(points, 4, pairwise);
        machine.solve(points.dense(), cache, pairwise, threads, stop);
        if (first.empty()) first = machine.alpha;
        CHECK(first == machine.alpha);
      }
    }
  }
}

TEST(svm_pairs_that_share_kernel_values_have_the_same_solutions) {
  testing::fill_blas_with_reference();
  const Points points(240, 3, 4, 3);
  StopToken stop;
  Machine shared(points, 4, true), alone(points, 4, true);
  shared.solve(points.dense(), plenty, true, 2, stop);
  alone.solve(points.dense(), plenty, false, 2, stop);
  for (std::size_t b = 0; b < shared.violation.size(); ++b) {
    CHECK(std::abs(shared.centers[2 * b] - alone.centers[2 * b]) < 1e-3);
  }
}

TEST(svm_a_block_of_all_rows_fits_into_the_smallest_cache) {
  testing::fill_blas_with_reference();
  const Points points(700, 3, 2, 7);
  StopToken stop;
  Machine machine(points, 2, true);
  machine.solve(points.dense(), little, true, 2, stop);
  CHECK(machine.recomputed_violation(points) <= 1e-4 + 1e-10);
}

TEST(svm_kernel_sums_are_those_of_plain_loops) {
  testing::fill_blas_with_reference();
  const Points points(1300, 3, 2, 4);
  std::vector<std::int32_t> members(at(points.rows));
  std::iota(members.begin(), members.end(), 0);
  std::vector<double> beta(members.size()), sums(members.size());
  Rng rng(5);
  for (double& value : beta) value = rng.uniform() < 0.2 ? 0.0 : rng.normal();
  for (const bool sparse : {true, false}) {
    StopToken stop;
    const Table table = sparse ? points.sparse() : points.dense();
    kernel_sums(table, members, gaussian, beta, 3, stop, sums);
    for (Index i = 0; i < points.rows; i += 7) {
      double sum = 0.0;
      for (Index j = 0; j < points.rows; ++j) sum += beta[at(j)] * points.kernel(i, j);
      CHECK(std::abs(sum - sums[at(i)]) < 1e-10);
    }
  }
}

TEST(svm_transposes_any_shape) {
  for (const Index rows : {0, 1, 4, 7, 33}) {
    for (const Index cols : {0, 1, 4, 6, 18}) {
      constexpr Index stride = 40;
      std::vector<double> from(at(40 * stride)), to(at(40 * stride), -1.0);
      std::iota(from.begin(), from.end(), 0.0);
      svm_ops().transpose(from.data(), rows, cols, to.data(), stride);
      for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < cols; ++c) CHECK(to[at(c * stride + r)] == from[at(r * stride + c)]);
      }
    }
  }
}

TEST(svm_obeys_a_stop) {
  testing::fill_blas_with_reference();
  const Points points(300, 4, 3, 6);
  StopToken stop;
  stop.request();
  Machine machine(points, 3, false);
  machine.solve(points.dense(), little, false, 2, stop);
  CHECK(std::all_of(machine.alpha.begin(), machine.alpha.end(), [](double a) { return a == 0.0; }));
}

}  // namespace
