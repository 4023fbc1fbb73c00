#include <cmath>
#include <cstdint>
#include <vector>

#include "core/rng.hpp"
#include "neural/forward.hpp"
#include "neural/trainer.hpp"
#include "tests/check.hpp"
#include "tests/reference_blas.hpp"

namespace certus::neural {
namespace {

constexpr Index rows = 37, columns = 5, classes = 3;

struct Data {
  std::vector<double> x, weights, values;
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> places;
  std::vector<double> entries;

  Data() {
    Rng random(7);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        x.push_back(random.uniform() < 0.4 ? 0.0 : random.normal());
        if (x.back() == 0.0) continue;
        places.push_back(static_cast<std::int32_t>(j));
        entries.push_back(x.back());
      }
      starts.push_back(static_cast<std::int64_t>(entries.size()));
      weights.push_back(random.uniform());
      labels.push_back(static_cast<std::int32_t>(random.below(classes)));
    }
  }
  Problem<double> problem(bool sparse) const {
    Problem<double> found;
    if (sparse) {
      found.table.starts = starts;
      found.table.columns = places;
      found.table.values = entries;
      found.table.width = columns;
    } else {
      found.table.dense = View2D<const double>(x.data(), rows, columns);
    }
    found.targets.classes = labels;
    found.weights = weights;
    return found;
  }
};

struct Case {
  bool normalised, heads, sparse;
  Index members;
  double dropout;
};

Trainer<double> trainer_of(const Case& of) {
  TrainRule rule;
  rule.dropout = of.dropout;
  rule.auxiliary = of.heads ? 0.4 : 0.0;
  rule.output.smoothing = 0.1;
  const std::vector<int> units{static_cast<int>(Activation::tanh), static_cast<int>(Activation::mish)};
  return Trainer<double>(Architecture({columns, 7, 6, classes}, units, of.normalised, of.heads, of.members),
                         rule);
}

std::vector<double> start(Index size) {
  Rng random(3);
  std::vector<double> found(static_cast<std::size_t>(size));
  for (double& value : found) value = 0.5 * random.normal() + 0.2;
  return found;
}

void check_gradient(const Case& of) {
  testing::fill_blas_with_reference();
  const Data data;
  Trainer<double> trainer = trainer_of(of);
  std::vector<double> at = start(trainer.net().parameters), slope(at.size()), spare(at.size());
  StopToken stop;
  const auto value = [&](std::vector<double>& out) {
    return trainer.gradient(at, data.problem(of.sparse), 1, stop, out);
  };
  value(slope);
  for (std::size_t place = 0; place < at.size(); place += 3) {
    const double kept = at[place];
    at[place] = kept + 1e-6;
    const double above = value(spare);
    at[place] = kept - 1e-6;
    const double below = value(spare);
    at[place] = kept;
    CHECK(std::abs((above - below) / 2e-6 - slope[place]) < 1e-7);
  }
}

}  // namespace

TEST(network_gradients_equal_central_differences) {
  check_gradient({false, true, false, 0, 0.0});
  check_gradient({true, true, false, 0, 0.0});
  check_gradient({false, false, true, 0, 0.3});
  check_gradient({false, false, false, 3, 0.3});
}

TEST(network_epochs_have_equal_bits_for_any_number_of_threads) {
  testing::fill_blas_with_reference();
  const Data data;
  for (const Case& of : {Case{false, false, true, 0, 0.2}, Case{true, false, false, 0, 0.0},
                         Case{false, false, false, 2, 0.0}}) {
    std::vector<std::vector<double>> ends;
    for (const int threads : {1, 4}) {
      Trainer<double> trainer = trainer_of(of);
      std::vector<double> at = start(trainer.net().parameters), m(at.size()), v(at.size());
      std::vector<double> statistics(static_cast<std::size_t>(trainer.net().statistics), 1.0);
      std::vector<std::int64_t> order(rows);
      for (Index i = 0; i < rows; ++i) order[static_cast<std::size_t>(i)] = i;
      StepRule rule;
      rule.clip_norm = 0.5;
      std::int64_t step = 0;
      StopToken stop;
      const State<double> state{{at, m, v}, statistics};
      trainer.epoch(state, data.problem(of.sparse), order, true, 10, rule, 0, step, threads, stop);
      CHECK_EQUAL(step, 4);
      std::vector<double> scores(rows * classes);
      forward(trainer.net(), at.data(), statistics.data(), data.problem(of.sparse).table, Index(3), Index(0),
              threads, stop, View2D<double>(scores.data(), rows, classes));
      softmax_rows(View2D<double>(scores.data(), rows, classes), threads, stop);
      at.insert(at.end(), scores.begin(), scores.end());
      ends.push_back(at);
    }
    CHECK(ends[0] == ends[1]);
  }
}

}  // namespace certus::neural
