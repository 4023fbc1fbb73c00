#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "bindings/common.hpp"
#include "neural/forward.hpp"
#include "neural/trainer.hpp"

namespace certus::bindings {
namespace {

using namespace certus::neural;

// Arrays behind a table; they stay alive as long as it does.
template <class T>
struct BoundTable {
  StridedMatrix<const T> dense;
  Vector<const std::int64_t> starts;
  Vector<const std::int32_t> columns;
  Vector<const T> values;
  Index width = 0;

  Table<T> table() const {
    Table<T> found;
    if (starts.is_valid()) {
      found.starts = span(starts);
      found.columns = span(columns);
      found.values = span(values);
      found.width = width;
    } else {
      found.dense = view(dense);
    }
    return found;
  }
};

template <class T>
struct BoundTargets {
  Vector<const std::int32_t> classes;
  Matrix<const T> values, deltas;
  Vector<const double> weights;

  Problem<T> with(const BoundTable<T>& table) const {
    Problem<T> problem{table.table(), {}, {}};
    if (classes.is_valid()) problem.targets.classes = span(classes);
    if (values.is_valid()) problem.targets.values = view(values);
    if (deltas.is_valid()) problem.targets.deltas = view(deltas);
    if (weights.is_valid()) problem.weights = span(weights);
    return problem;
  }
};

template <class T>
State<T> state_of(const Vector<T>& parameters, const Vector<T>& m, const Vector<T>& v,
                  const Vector<T>& statistics) {
  return {{span(parameters), span(m), span(v)}, span(statistics)};
}

template <class T>
void bind_data(nb::module_& m, const char* table, const char* targets) {
  nb::class_<BoundTable<T>>(m, table, "Rows that a network reads.")
      .def(nb::init<>())
      .def(
          "set_dense", [](BoundTable<T>& self, StridedMatrix<const T> dense) { self.dense = dense; },
          nb::arg("dense").noconvert())
      .def(
          "set_sparse",
          [](BoundTable<T>& self, Vector<const std::int64_t> starts, Vector<const std::int32_t> columns,
             Vector<const T> values, Index width) {
            self.starts = starts;
            self.columns = columns;
            self.values = values;
            self.width = width;
          },
          nb::arg("starts").noconvert(), nb::arg("columns").noconvert(), nb::arg("values").noconvert(),
          nb::arg("width"));
  nb::class_<BoundTargets<T>>(m, targets, "What the outputs of a network are compared with.")
      .def(nb::init<>())
      .def(
          "set_classes",
          [](BoundTargets<T>& self, Vector<const std::int32_t> given) { self.classes = given; },
          nb::arg("classes").noconvert())
      .def(
          "set_values", [](BoundTargets<T>& self, Matrix<const T> given) { self.values = given; },
          nb::arg("values").noconvert())
      .def(
          "set_deltas", [](BoundTargets<T>& self, Matrix<const T> given) { self.deltas = given; },
          nb::arg("deltas").noconvert())
      .def(
          "set_weights", [](BoundTargets<T>& self, Vector<const double> given) { self.weights = given; },
          nb::arg("weights").noconvert());
}

template <class T>
void bind_network(nb::module_& m, const char* name) {
  using Net = Trainer<T>;
  nb::class_<Net>(m, name, "A multi-layer network: prediction, gradients, optimiser steps.")
      .def(
          "__init__",
          [](Net* self, const std::vector<Index>& sizes, const std::vector<int>& activations, bool normalised,
             bool heads, Index members, const TrainRule& rule) {
            ensure_blas();
            new (self) Net(Architecture(sizes, activations, normalised, heads, members), rule);
          },
          nb::arg("sizes"), nb::arg("activations"), nb::arg("normalised"), nb::arg("heads"),
          nb::arg("members"), nb::arg("rule"))
      .def_prop_ro("n_parameters", [](const Net& self) { return self.net().parameters; })
      .def("rest", &Net::rest, "Give the workspace back.")
      .def_prop_ro("n_statistics", [](const Net& self) { return self.net().statistics; })
      .def(
          "forward",
          [](const Net& self, Vector<const T> parameters, Vector<const T> statistics,
             const BoundTable<T>& table, Index depth, Index member, int threads, Matrix<T> out) {
            run_kernel([&](StopToken& stop) {
              forward(self.net(), parameters.data(), statistics.data(), table.table(), depth, member, threads,
                      stop, view(out));
            });
          },
          nb::arg("parameters").noconvert(), nb::arg("statistics").noconvert(), nb::arg("table"),
          nb::arg("depth"), nb::arg("member"), nb::arg("threads"), nb::arg("out").noconvert(),
          "Fill in what the first layers make of each row.")
      .def(
          "gradient",
          [](Net& self, Vector<const T> parameters, const BoundTable<T>& table,
             const BoundTargets<T>& targets, int threads, Vector<T> out) {
            return run_kernel([&](StopToken& stop) {
              return self.gradient(span(parameters), targets.with(table), threads, stop, span(out));
            });
          },
          nb::arg("parameters").noconvert(), nb::arg("table"), nb::arg("targets"), nb::arg("threads"),
          nb::arg("out").noconvert(), "Mean loss of the rows; fills in its gradient.")
      .def(
          "epoch",
          [](Net& self, Vector<T> parameters, Vector<T> first, Vector<T> second, Vector<T> statistics,
             const BoundTable<T>& table, const BoundTargets<T>& targets, Vector<std::int64_t> order,
             bool shuffle, Index batch, const StepRule& rule, std::uint64_t number, std::int64_t step,
             int threads) {
            const double loss = run_kernel([&](StopToken& stop) {
              return self.epoch(state_of(parameters, first, second, statistics), targets.with(table),
                                span(order), shuffle, batch, rule, number, step, threads, stop);
            });
            return std::make_tuple(loss, step);
          },
          nb::arg("parameters").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
          nb::arg("statistics").noconvert(), nb::arg("table"), nb::arg("targets"),
          nb::arg("order").noconvert(), nb::arg("shuffle"), nb::arg("batch"), nb::arg("rule"),
          nb::arg("number"), nb::arg("step"), nb::arg("threads"),
          "One step per batch of rows, in place; returns the mean loss and the number of steps so far.")
      .def(
          "step",
          [](Net& self, Vector<T> parameters, Vector<T> first, Vector<T> second, Vector<T> gradient,
             const StepRule& rule, std::int64_t number, int threads) {
            run_kernel([&](StopToken& stop) {
              self.step({{span(parameters), span(first), span(second)}, {}}, rule, span(gradient), number,
                        threads, stop);
            });
          },
          nb::arg("parameters").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
          nb::arg("gradient").noconvert(), nb::arg("rule"), nb::arg("number"), nb::arg("threads"),
          "One step along a gradient, in place.");
  m.def(
      "network_softmax",
      [](Matrix<T> scores, int threads) {
        run_kernel([&](StopToken& stop) { softmax_rows(view(scores), threads, stop); });
      },
      nb::arg("scores").noconvert(), nb::arg("threads"), "Turn scores into probabilities, in place.");
  m.def(
      "network_quantiles", [](Matrix<T> scores) { cumulate_quantiles(view(scores)); },
      nb::arg("scores").noconvert(), "Turn scores into ascending quantiles, in place.");
}

void bind_rules(nb::module_& m) {
  nb::enum_<Activation>(m, "NetworkActivation", nb::is_arithmetic())
      .value("identity", Activation::identity)
      .value("logistic", Activation::logistic)
      .value("tanh", Activation::tanh)
      .value("relu", Activation::relu)
      .value("leaky_relu", Activation::leaky_relu)
      .value("selu", Activation::selu)
      .value("softplus", Activation::softplus)
      .value("gelu", Activation::gelu)
      .value("silu", Activation::silu)
      .value("mish", Activation::mish);
  nb::enum_<Solver>(m, "NetworkSolver")
      .value("sgd", Solver::sgd)
      .value("adam", Solver::adam)
      .value("adamw", Solver::adamw)
      .value("adagrad", Solver::adagrad)
      .value("rmsprop", Solver::rmsprop);
  nb::enum_<Schedule>(m, "NetworkSchedule")
      .value("constant", Schedule::constant)
      .value("linear", Schedule::linear)
      .value("cosine", Schedule::cosine);
  nb::class_<TrainRule>(m, "NetworkTrainRule")
      .def(nb::init<>())
      .def_prop_rw(
          "loss", [](const TrainRule& self) { return self.output.loss; },
          [](TrainRule& self, Loss loss) { self.output.loss = loss; })
      .def_prop_rw(
          "smoothing", [](const TrainRule& self) { return self.output.smoothing; },
          [](TrainRule& self, double value) { self.output.smoothing = value; })
      .def_prop_rw(
          "quantiles", [](const TrainRule& self) { return self.output.quantiles; },
          [](TrainRule& self, std::vector<double> values) { self.output.quantiles = std::move(values); })
      .def_rw("dropout", &TrainRule::dropout)
      .def_rw("auxiliary", &TrainRule::auxiliary)
      .def_rw("frozen", &TrainRule::frozen)
      .def_rw("seed", &TrainRule::seed);
  nb::class_<StepRule>(m, "NetworkStepRule")
      .def(nb::init<>())
      .def_rw("solver", &StepRule::solver)
      .def_rw("schedule", &StepRule::schedule)
      .def_rw("rate", &StepRule::rate)
      .def_rw("rate_end", &StepRule::rate_end)
      .def_rw("decay_steps", &StepRule::decay_steps)
      .def_rw("first", &StepRule::first)
      .def_rw("second", &StepRule::second)
      .def_rw("epsilon", &StepRule::epsilon)
      .def_rw("nesterov", &StepRule::nesterov)
      .def_rw("alpha", &StepRule::alpha)
      .def_rw("l1", &StepRule::l1)
      .def_rw("clip_norm", &StepRule::clip_norm)
      .def_rw("frozen", &StepRule::frozen)
      .def("step_size", &step_size, nb::arg("step"), "The step size of a step, counted from 0.");
}

}  // namespace

void bind_neural(nb::module_& m) {
  bind_rules(m);
  bind_data<float>(m, "NetworkTableFloat", "NetworkTargetsFloat");
  bind_data<double>(m, "NetworkTableDouble", "NetworkTargetsDouble");
  bind_network<float>(m, "NetworkFloat");
  bind_network<double>(m, "NetworkDouble");
}

}  // namespace certus::bindings
