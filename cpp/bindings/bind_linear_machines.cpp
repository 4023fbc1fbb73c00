#include <cstdint>

#include "bindings/common.hpp"

#include "linear/box_pass.hpp"
#include "linear/dual_descent.hpp"
#include "linear/joint_descent.hpp"
#include "linear/logistic_descent.hpp"
#include "linear/sag.hpp"
#include "linear/stochastic_descent.hpp"

namespace certus::bindings {
namespace {

using linear::BoxDual;
using linear::BoxDualFamily;
using linear::DescentRule;

// What a binding is given as a table: a dense matrix, or the three arrays of a compressed sparse one.
template <class T>
struct DenseTable {
  using Rows = linear::DenseRows<T>;
  Matrix<const T> x;
  Rows rows(double constant) const { return {view(x), constant}; }
};

template <class T, class I>
struct SparseTable {
  using Rows = linear::CompressedRows<T, I>;
  Vector<const I> starts;
  Vector<const I> columns;
  Vector<const T> values;
  Index width;
  Rows rows(double constant) const { return {{span(starts), span(columns), span(values)}, width, constant}; }
};

// The arrays of a dual, or of several (matrices with a row for each), that Python holds.
template <class Numbers>
struct DualArrays {
  Numbers target, lower, upper, ridge;
  double epsilon;
  BoxDual dual() const { return {span(target), span(lower), span(upper), span(ridge), epsilon}; }
  BoxDualFamily family() const { return {view(target), view(lower), view(upper), view(ridge), epsilon}; }
};
using OneDual = DualArrays<Vector<const double>>;
using SeveralDuals = DualArrays<Matrix<const double>>;

struct SagArrays {
  Loss loss;
  Vector<const double> target, weights;
  double strength, step, intercept_decay;
  bool unbiased;
};

template <class Table>
auto box_pass(const Table& table, double constant, const OneDual& dual, double prox,
              Vector<const double> center, Vector<const double> w, int threads, Vector<double> scores,
              Vector<double> b, Vector<double> curvature, Vector<double> image) {
  const auto rows = table.rows(constant);
  const linear::BoxSums sums = run_kernel([&](StopToken& stop) {
    return linear::box_pass(rows, dual.dual(), prox, span(center), span(w), threads, stop, span(scores),
                            span(b), span(curvature), span(image));
  });
  return std::make_tuple(sums.loss, sums.dual, sums.envelope);
}

template <class Table>
void dual_descent(const Table& table, double constant, const SeveralDuals& duals, const DescentRule& rule,
                  int threads, Vector<const std::int64_t> numbers, Matrix<double> b, Matrix<double> w,
                  Vector<std::int64_t> passes, Vector<std::uint8_t> converged, Matrix<double> memory) {
  const auto rows = table.rows(constant);
  run_kernel([&](StopToken& stop) {
    linear::dual_descent(rows, duals.family(), rule, threads, stop,
                         {span(numbers), view(b), view(w), span(passes), span(converged), view(memory)});
  });
}

template <class Table>
auto joint_descent(const Table& table, double constant, Vector<const std::int64_t> labels,
                   Vector<const double> costs, const DescentRule& rule, Matrix<double> a, Matrix<double> w) {
  const auto rows = table.rows(constant);
  const linear::JointResult result = run_kernel([&](StopToken& stop) {
    return linear::joint_descent(rows, span(labels), span(costs), rule, stop, view(a), view(w));
  });
  return std::make_tuple(result.passes, result.converged, result.objective, result.gap);
}

template <class Table>
void stochastic_descent(const Table& table, Matrix<const double> targets, Matrix<const double> weights,
                        Vector<const std::uint8_t> held, const linear::StochasticOptions& options,
                        Index epochs, int threads, Matrix<double> coef, Matrix<double> average,
                        Matrix<double> l1_taken, Matrix<double> numbers) {
  const auto rows = table.rows(0.0);
  run_kernel([&](StopToken& stop) {
    linear::stochastic_descents(rows, {view(targets), view(weights), span(held)}, options, epochs, threads,
                                stop, {view(coef), view(average), view(l1_taken), view(numbers)});
  });
}

template <class Table>
void sag_epoch(const Table& table, const SagArrays& of, std::uint64_t seed, std::uint64_t epoch,
               Matrix<double> coef, Vector<double> intercept, Matrix<double> sums,
               Vector<double> intercept_sums, Matrix<double> slopes, Vector<std::uint8_t> seen) {
  const auto rows = table.rows(0.0);
  const auto flat = [](Matrix<double>& matrix) { return std::span(matrix.data(), matrix.size()); };
  const linear::SagProblem problem{
      of.loss.kind, span(of.target), span(of.weights),   static_cast<Index>(intercept.size()),
      of.strength,  of.step,         of.intercept_decay, of.unbiased};
  const linear::SagState state{flat(coef),           span(intercept), flat(sums),
                               span(intercept_sums), flat(slopes),    span(seen)};
  run_kernel([&](StopToken& stop) { linear::sag_epoch(rows, problem, seed, epoch, stop, state); });
}

template <class Table>
auto logistic_descent(const Table& table, Vector<const double> signs, Vector<const double> weights,
                      double strength, double tol, Index max_passes, std::uint64_t seed, std::uint64_t stage,
                      Vector<double> multipliers, Vector<double> w) {
  const auto rows = table.rows(0.0);
  const linear::LogisticDescentRule rule{strength, tol, max_passes, seed, stage};
  const linear::LogisticDescentResult result = run_kernel([&](StopToken& stop) {
    return linear::logistic_descent(rows, span(signs), span(weights), rule, stop, span(multipliers), span(w));
  });
  return std::make_tuple(result.passes, result.converged);
}

// The kernels that take any kind of table.
template <class Table>
void bind_table(nb::module_& m, const char* name) {
  nb::class_<Table>(m, name);
  m.def("box_pass", &box_pass<Table>, nb::arg("table"), nb::arg("constant"), nb::arg("dual"), nb::arg("prox"),
        nb::arg("center").noconvert(), nb::arg("w").noconvert(), nb::arg("threads"),
        nb::arg("scores").noconvert(), nb::arg("b").noconvert(), nb::arg("curvature").noconvert(),
        nb::arg("image").noconvert(), "Scores, dual coefficients and their image for given coefficients.");
  m.def("dual_descent", &dual_descent<Table>, nb::arg("table"), nb::arg("constant"), nb::arg("duals"),
        nb::arg("rule"), nb::arg("threads"), nb::arg("numbers").noconvert(), nb::arg("b").noconvert(),
        nb::arg("w").noconvert(), nb::arg("passes").noconvert(), nb::arg("converged").noconvert(),
        nb::arg("memory").noconvert(), "Dual coordinate descent for every row of the matrices.");
  m.def("stochastic_descent", &stochastic_descent<Table>, nb::arg("table"), nb::arg("targets").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("held").noconvert(), nb::arg("options"), nb::arg("epochs"),
        nb::arg("threads"), nb::arg("coef").noconvert(), nb::arg("average").noconvert(),
        nb::arg("l1_taken").noconvert(), nb::arg("numbers").noconvert(),
        "Epochs of stochastic gradient descent for every row of the matrices.");
  m.def("sag_epoch", &sag_epoch<Table>, nb::arg("table"), nb::arg("problem"), nb::arg("seed"),
        nb::arg("epoch"), nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(),
        nb::arg("sums").noconvert(), nb::arg("intercept_sums").noconvert(), nb::arg("slopes").noconvert(),
        nb::arg("seen").noconvert(), "One epoch of stochastic average gradient.");
  m.def("logistic_descent", &logistic_descent<Table>, nb::arg("table"), nb::arg("signs").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("strength"), nb::arg("tol"), nb::arg("max_passes"),
        nb::arg("seed"), nb::arg("stage"), nb::arg("multipliers").noconvert(), nb::arg("w").noconvert(),
        "Dual coordinate descent for logistic regression with a ridge penalty.");
  m.def("joint_descent", &joint_descent<Table>, nb::arg("table"), nb::arg("constant"),
        nb::arg("labels").noconvert(), nb::arg("costs").noconvert(), nb::arg("rule"),
        nb::arg("a").noconvert(), nb::arg("w").noconvert(),
        "The joint multiclass machine of Crammer and Singer.");
}

template <class T>
void bind_dense(nb::module_& m) {
  using Table = DenseTable<T>;
  const auto name = std::is_same_v<T, float> ? "DenseRowsSingle" : "DenseRowsDouble";
  bind_table<Table>(m, name);
  m.def(
      "dense_rows", [](Matrix<const T> x) { return Table{x}; }, nb::arg("x").noconvert(),
      "A dense table for methods that go row by row.");
  m.def(
      "row_gram",
      [](Matrix<const T> x, double constant, Vector<const std::int64_t> rows, Vector<const double> weights,
         int threads, Matrix<double> out) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          linear::row_gram<T>(view(x), constant, span(rows), span(weights), threads, stop, view(out));
        });
      },
      nb::arg("x").noconvert(), nb::arg("constant"), nb::arg("rows").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("threads"), nb::arg("out").noconvert(),
      "Weighted second moments of some rows of [x, constant].");
}

template <class T, class I>
void bind_sparse(nb::module_& m, const char* name) {
  using Table = SparseTable<T, I>;
  bind_table<Table>(m, name);
  m.def(
      "sparse_rows",
      [](Vector<const I> starts, Vector<const I> columns, Vector<const T> values, Index width) {
        return Table{starts, columns, values, width};
      },
      nb::arg("starts").noconvert(), nb::arg("columns").noconvert(), nb::arg("values").noconvert(),
      nb::arg("width"), "A compressed sparse table for methods that go row by row.");
}

template <class Numbers>
void bind_duals(nb::module_& m, const char* name) {
  nb::class_<DualArrays<Numbers>>(m, name).def(
      "__init__",
      [](DualArrays<Numbers>* self, Numbers target, Numbers lower, Numbers upper, Numbers ridge,
         double epsilon) { new (self) DualArrays<Numbers>{target, lower, upper, ridge, epsilon}; },
      nb::arg("target").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
      nb::arg("ridge").noconvert(), nb::arg("epsilon"));
}

void bind_problems(nb::module_& m) {
  bind_duals<Vector<const double>>(m, "BoxDual");
  bind_duals<Matrix<const double>>(m, "BoxDuals");
  nb::class_<DescentRule>(m, "DescentRule")
      .def(
          "__init__",
          [](DescentRule* self, double tol, bool relative, double gap_tol, Index max_passes,
             std::uint64_t seed, std::uint64_t stage) {
            new (self) DescentRule{tol, relative, gap_tol, max_passes, seed, stage};
          },
          nb::arg("tol"), nb::arg("relative"), nb::arg("gap_tol"), nb::arg("max_passes"), nb::arg("seed"),
          nb::arg("stage"));
  nb::class_<SagArrays>(m, "SagProblem")
      .def(
          "__init__",
          [](SagArrays* self, Loss loss, Vector<const double> target, Vector<const double> weights,
             double strength, double step, double intercept_decay, bool unbiased) {
            new (self) SagArrays{loss, target, weights, strength, step, intercept_decay, unbiased};
          },
          nb::arg("loss"), nb::arg("target").noconvert(), nb::arg("weights").noconvert(), nb::arg("strength"),
          nb::arg("step"), nb::arg("intercept_decay"), nb::arg("unbiased"));
}

void bind_options(nb::module_& m) {
  using linear::StepRule;
  using linear::StochasticOptions;
  nb::enum_<StepRule>(m, "StepRule")
      .value("constant", StepRule::constant)
      .value("optimal", StepRule::optimal)
      .value("invscaling", StepRule::invscaling)
      .value("adaptive", StepRule::adaptive)
      .value("pa1", StepRule::pa1)
      .value("pa2", StepRule::pa2)
      .value("pegasos", StepRule::pegasos);
  nb::class_<StochasticOptions>(m, "StochasticOptions")
      .def(nb::init<>())
      .def_rw("loss", &StochasticOptions::loss)
      .def_rw("ridge", &StochasticOptions::ridge)
      .def_rw("truncate", &StochasticOptions::truncate)
      .def_rw("alpha", &StochasticOptions::alpha)
      .def_rw("l1_ratio", &StochasticOptions::l1_ratio)
      .def_rw("rule", &StochasticOptions::rule)
      .def_rw("eta0", &StochasticOptions::eta0)
      .def_rw("power_t", &StochasticOptions::power_t)
      .def_rw("fit_intercept", &StochasticOptions::fit_intercept)
      .def_rw("intercept_decay", &StochasticOptions::intercept_decay)
      .def_rw("shuffle", &StochasticOptions::shuffle)
      .def_rw("seed", &StochasticOptions::seed)
      .def_rw("average_from", &StochasticOptions::average_from)
      .def_rw("tol", &StochasticOptions::tol)
      .def_rw("patience", &StochasticOptions::patience)
      .def_rw("classifies", &StochasticOptions::classifies);
}

}  // namespace

void bind_linear_machines(nb::module_& m) {
  bind_options(m);
  bind_problems(m);
  bind_dense<float>(m);
  bind_dense<double>(m);
  bind_sparse<float, std::int32_t>(m, "SparseRowsSingle32");
  bind_sparse<float, std::int64_t>(m, "SparseRowsSingle64");
  bind_sparse<double, std::int32_t>(m, "SparseRowsDouble32");
  bind_sparse<double, std::int64_t>(m, "SparseRowsDouble64");
  m.def(
      "slope_along",
      [](const OneDual& dual, double prox, Vector<const double> center, Vector<const double> scores,
         Vector<const double> change, double step) {
        return linear::slope_along(dual.dual(), prox, span(center), span(scores), span(change), step);
      },
      nb::arg("dual"), nb::arg("prox"), nb::arg("center").noconvert(), nb::arg("scores").noconvert(),
      nb::arg("change").noconvert(), nb::arg("step"),
      "Derivative of the smoothed losses along a line of scores.");
  m.def("box_chain", &linear::box_chain, nb::arg("rows"), "Longest chain of additions in box_pass.");
}

}  // namespace certus::bindings
