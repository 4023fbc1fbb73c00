#include "bindings/common.hpp"
#include "svm/batch.hpp"
#include "svm/decision.hpp"

namespace certus::bindings {
namespace {

using namespace certus::svm;

Table dense_table(const Matrix<const double>& rows) {
  Table table;
  table.dense = view(rows);
  table.width = table.dense.cols;
  return table;
}

Table sparse_table(const Vector<const double>& values, const Vector<const std::int32_t>& columns,
                   const Vector<const std::int32_t>& starts, Index width) {
  Table table;
  table.values = span(values);
  table.columns = span(columns);
  table.starts = span(starts);
  table.width = width;
  return table;
}

KernelFunction kernel_of(int kind, double gamma, double coef0, int degree) {
  return {static_cast<KernelKind>(kind), gamma, coef0, degree};
}

using KernelTuple = std::tuple<int, double, double, int>;

KernelFunction kernel_of(const KernelTuple& kernel) {
  return kernel_of(std::get<0>(kernel), std::get<1>(kernel), std::get<2>(kernel), std::get<3>(kernel));
}

// The problems and the places for their solutions, kept together for both kinds of table.
struct Given {
  int bias;
  Index copies;
  Vector<const std::int32_t> members;
  Vector<const std::int64_t> starts;
  Vector<const std::int8_t> sign;
  Vector<const double> linear, upper;
  Vector<const std::int32_t> part_members;
  Vector<const std::int64_t> part_starts;
  Vector<const std::int32_t> pairs;
  Vector<double> alpha, scores;
  Matrix<double> centers;
  Vector<double> violation;
  Vector<std::int64_t> steps;
  Vector<std::int32_t> reasons;
};

void solve_given(const Table& table, const KernelFunction& kernel, const Given& given, bool single,
                 const SolverOptions& options, int threads) {
  const Batch batch{static_cast<Bias>(given.bias),
                    given.copies,
                    span(given.members),
                    span(given.starts),
                    span(given.sign),
                    span(given.linear),
                    span(given.upper),
                    {span(given.part_members), span(given.part_starts)},
                    span(given.pairs)};
  const BatchSolution out{span(given.alpha),     span(given.scores), view(given.centers),
                          span(given.violation), span(given.steps),  span(given.reasons)};
  ensure_blas();
  run_kernel(
      [&](StopToken& stop) { solve_batch(table, kernel, batch, options, single, threads, stop, out); });
}

}  // namespace

void bind_svm(nb::module_& m) {
  m.def(
      "svm_solve",
      [](Matrix<const double> rows, Vector<const double> values, Vector<const std::int32_t> columns,
         Vector<const std::int32_t> row_starts, Index width, KernelTuple kernel, int bias, Index copies,
         Vector<const std::int32_t> members, Vector<const std::int64_t> starts,
         Vector<const std::int8_t> sign, Vector<const double> linear, Vector<const double> upper,
         Vector<const std::int32_t> part_members, Vector<const std::int64_t> part_starts,
         Vector<const std::int32_t> pairs, bool single, double tolerance, double fine_tolerance,
         std::int64_t max_steps, double cache_bytes, bool shrinking, int threads, Vector<double> alpha,
         Vector<double> scores, Matrix<double> centers, Vector<double> violation, Vector<std::int64_t> steps,
         Vector<std::int32_t> reasons) {
        const Table table =
            row_starts.shape(0) > 0 ? sparse_table(values, columns, row_starts, width) : dense_table(rows);
        const Given given{bias,        copies, members, starts, sign,    linear,    upper, part_members,
                          part_starts, pairs,  alpha,   scores, centers, violation, steps, reasons};
        solve_given(table, kernel_of(kernel), given, single,
                    {tolerance, fine_tolerance, max_steps, cache_bytes, shrinking}, threads);
      },
      nb::arg("rows").noconvert(), nb::arg("values").noconvert(), nb::arg("columns").noconvert(),
      nb::arg("row_starts").noconvert(), nb::arg("width"), nb::arg("kernel"), nb::arg("bias"),
      nb::arg("copies"), nb::arg("members").noconvert(), nb::arg("starts").noconvert(),
      nb::arg("sign").noconvert(), nb::arg("linear").noconvert(), nb::arg("upper").noconvert(),
      nb::arg("part_members").noconvert(), nb::arg("part_starts").noconvert(), nb::arg("pairs").noconvert(),
      nb::arg("single"), nb::arg("tolerance"), nb::arg("fine_tolerance"), nb::arg("max_steps"),
      nb::arg("cache_bytes"), nb::arg("shrinking"), nb::arg("threads"), nb::arg("alpha").noconvert(),
      nb::arg("scores").noconvert(), nb::arg("centers").noconvert(), nb::arg("violation").noconvert(),
      nb::arg("steps").noconvert(), nb::arg("reasons").noconvert(),
      "Solve the quadratic problems of support vector machines; alpha holds feasible starts.");
  m.def(
      "svm_expand",
      [](Matrix<const double> queries, Matrix<const double> support, KernelTuple kernel,
         Vector<const std::int64_t> group_starts, Matrix<const double> coefficients, int threads,
         Matrix<double> out) {
        const Table query_table = dense_table(queries), support_table = dense_table(support);
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          expand(query_table, support_table, kernel_of(kernel), {span(group_starts), view(coefficients)},
                 threads, stop, view(out));
        });
      },
      nb::arg("queries").noconvert(), nb::arg("support").noconvert(), nb::arg("kernel"),
      nb::arg("group_starts").noconvert(), nb::arg("coefficients").noconvert(), nb::arg("threads"),
      nb::arg("out").noconvert(), "Fill in the kernel expansions at dense rows.");
  m.def(
      "svm_expand_sparse",
      [](Vector<const double> query_values, Vector<const std::int32_t> query_columns,
         Vector<const std::int32_t> query_starts, Vector<const double> values,
         Vector<const std::int32_t> columns, Vector<const std::int32_t> row_starts, Index width,
         KernelTuple kernel, Vector<const std::int64_t> group_starts, Matrix<const double> coefficients,
         int threads, Matrix<double> out) {
        const Table query_table = sparse_table(query_values, query_columns, query_starts, width);
        const Table support_table = sparse_table(values, columns, row_starts, width);
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          expand(query_table, support_table, kernel_of(kernel), {span(group_starts), view(coefficients)},
                 threads, stop, view(out));
        });
      },
      nb::arg("query_values").noconvert(), nb::arg("query_columns").noconvert(),
      nb::arg("query_starts").noconvert(), nb::arg("values").noconvert(), nb::arg("columns").noconvert(),
      nb::arg("row_starts").noconvert(), nb::arg("width"), nb::arg("kernel"),
      nb::arg("group_starts").noconvert(), nb::arg("coefficients").noconvert(), nb::arg("threads"),
      nb::arg("out").noconvert(), "Fill in the kernel expansions at sparse rows.");
}

}  // namespace certus::bindings
