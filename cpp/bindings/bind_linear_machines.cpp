#include <cstdint>

#include "bindings/common.hpp"
#include "linear/box_pass.hpp"
#include "linear/dual_descent.hpp"
#include "linear/joint_descent.hpp"

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

template <class Table>
auto box_pass(const Table& table, double constant, Vector<const double> target, Vector<const double> lower,
              Vector<const double> upper, Vector<const double> ridge, double epsilon, double prox,
              Vector<const double> center, Vector<const double> w, int threads, Vector<double> scores,
              Vector<double> b, Vector<double> curvature, Vector<double> image) {
  const auto rows = table.rows(constant);
  const BoxDual dual{span(target), span(lower), span(upper), span(ridge), epsilon};
  const linear::BoxSums sums = run_kernel([&](StopToken& stop) {
    return linear::box_pass(rows, dual, prox, span(center), span(w), threads, stop, span(scores), span(b),
                            span(curvature), span(image));
  });
  return std::make_tuple(sums.loss, sums.dual, sums.envelope);
}

template <class Table>
void dual_descent(const Table& table, double constant, Matrix<const double> target,
                  Matrix<const double> lower, Matrix<const double> upper, Matrix<const double> ridge,
                  double epsilon, double tol, bool relative, double gap_tol, Index max_passes,
                  std::uint64_t seed, int threads, Matrix<double> b, Matrix<double> w,
                  Vector<std::int64_t> passes, Vector<std::uint8_t> converged) {
  const auto rows = table.rows(constant);
  const BoxDualFamily family{view(target), view(lower), view(upper), view(ridge), epsilon};
  const DescentRule rule{tol, relative, gap_tol, max_passes, seed, 0};
  run_kernel([&](StopToken& stop) {
    linear::dual_descent(rows, family, rule, threads, stop,
                         {view(b), view(w), span(passes), span(converged)});
  });
}

template <class Table>
auto joint_descent(const Table& table, double constant, Vector<const std::int64_t> labels,
                   Vector<const double> costs, double tol, double gap_tol, Index max_passes,
                   std::uint64_t seed, Matrix<double> a, Matrix<double> w) {
  const auto rows = table.rows(constant);
  const DescentRule rule{tol, false, gap_tol, max_passes, seed, 0};
  const linear::JointResult result = run_kernel([&](StopToken& stop) {
    return linear::joint_descent(rows, span(labels), span(costs), rule, stop, view(a), view(w));
  });
  return std::make_tuple(result.passes, result.converged);
}

// The kernels that take any kind of table.
template <class Table>
void bind_table(nb::module_& m, const char* name) {
  nb::class_<Table>(m, name);
  m.def("box_pass", &box_pass<Table>, nb::arg("table"), nb::arg("constant"), nb::arg("target").noconvert(),
        nb::arg("lower").noconvert(), nb::arg("upper").noconvert(), nb::arg("ridge").noconvert(),
        nb::arg("epsilon"), nb::arg("prox"), nb::arg("center").noconvert(), nb::arg("w").noconvert(),
        nb::arg("threads"), nb::arg("scores").noconvert(), nb::arg("b").noconvert(),
        nb::arg("curvature").noconvert(), nb::arg("image").noconvert(),
        "Scores, dual coefficients and their image for given coefficients.");
  m.def("dual_descent", &dual_descent<Table>, nb::arg("table"), nb::arg("constant"),
        nb::arg("target").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
        nb::arg("ridge").noconvert(), nb::arg("epsilon"), nb::arg("tol"), nb::arg("relative"),
        nb::arg("gap_tol"), nb::arg("max_passes"), nb::arg("seed"), nb::arg("threads"),
        nb::arg("b").noconvert(), nb::arg("w").noconvert(), nb::arg("passes").noconvert(),
        nb::arg("converged").noconvert(), "Dual coordinate descent for every row of the matrices.");
  m.def("joint_descent", &joint_descent<Table>, nb::arg("table"), nb::arg("constant"),
        nb::arg("labels").noconvert(), nb::arg("costs").noconvert(), nb::arg("tol"), nb::arg("gap_tol"),
        nb::arg("max_passes"), nb::arg("seed"), nb::arg("a").noconvert(), nb::arg("w").noconvert(),
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

}  // namespace

void bind_linear_machines(nb::module_& m) {
  bind_dense<float>(m);
  bind_dense<double>(m);
  bind_sparse<float, std::int32_t>(m, "SparseRowsSingle32");
  bind_sparse<float, std::int64_t>(m, "SparseRowsSingle64");
  bind_sparse<double, std::int32_t>(m, "SparseRowsDouble32");
  bind_sparse<double, std::int64_t>(m, "SparseRowsDouble64");
  m.def(
      "slope_along",
      [](Vector<const double> target, Vector<const double> lower, Vector<const double> upper,
         Vector<const double> ridge, double epsilon, double prox, Vector<const double> center,
         Vector<const double> scores, Vector<const double> change, double step) {
        const BoxDual dual{span(target), span(lower), span(upper), span(ridge), epsilon};
        return linear::slope_along(dual, prox, span(center), span(scores), span(change), step);
      },
      nb::arg("target").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
      nb::arg("ridge").noconvert(), nb::arg("epsilon"), nb::arg("prox"), nb::arg("center").noconvert(),
      nb::arg("scores").noconvert(), nb::arg("change").noconvert(), nb::arg("step"),
      "Derivative of the smoothed losses along a line of scores.");
  m.def("box_chain", &linear::box_chain, nb::arg("rows"), "Longest chain of additions in box_pass.");
}

}  // namespace certus::bindings
