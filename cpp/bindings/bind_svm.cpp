#include "bindings/common.hpp"
#include "svm/batch.hpp"
#include "svm/decision.hpp"

namespace certus::bindings {
namespace {

using namespace certus::svm;

// The rows of a table: a dense matrix, or the three arrays of a sparse one (then the matrix is empty).
struct Rows {
  Matrix<const double> dense;
  Vector<const double> values;
  Vector<const std::int32_t> columns, starts;
  Index width;

  Table table() const {
    Table table;
    table.width = width;
    if (starts.shape(0) == 0) {
      table.dense = view(dense);
    } else {
      table.values = span(values);
      table.columns = span(columns);
      table.starts = span(starts);
    }
    return table;
  }
};

// The problems over a table; svm/batch.hpp says what the arrays hold.
struct Problems {
  int bias;
  Index copies;
  Vector<const std::int32_t> members;
  Vector<const std::int64_t> starts;
  Vector<const std::int8_t> sign;
  Vector<const double> linear, upper;
  Vector<const std::int32_t> part_members;
  Vector<const std::int64_t> part_starts;
  Vector<const std::int32_t> pairs;

  Batch batch() const {
    return {static_cast<Bias>(bias),
            copies,
            span(members),
            span(starts),
            span(sign),
            span(linear),
            span(upper),
            {span(part_members), span(part_starts)},
            span(pairs)};
  }
};

using KernelTuple = std::tuple<int, double, double, int>;

KernelFunction kernel_of(const KernelTuple& kernel) {
  const auto [kind, gamma, coef0, degree] = kernel;
  return {static_cast<KernelKind>(kind), gamma, coef0, degree};
}

void bind_structs(nb::module_& m) {
  nb::class_<Rows>(m, "SvmRows", "The rows of a table, dense or sparse.")
      .def(nb::init<Matrix<const double>, Vector<const double>, Vector<const std::int32_t>,
                    Vector<const std::int32_t>, Index>(),
           nb::arg("dense").noconvert(), nb::arg("values").noconvert(), nb::arg("columns").noconvert(),
           nb::arg("starts").noconvert(), nb::arg("width"));
  nb::class_<Problems>(m, "SvmProblems", "Quadratic problems over one table.")
      .def(nb::init<int, Index, Vector<const std::int32_t>, Vector<const std::int64_t>,
                    Vector<const std::int8_t>, Vector<const double>, Vector<const double>,
                    Vector<const std::int32_t>, Vector<const std::int64_t>, Vector<const std::int32_t>>(),
           nb::arg("bias"), nb::arg("copies"), nb::arg("members").noconvert(), nb::arg("starts").noconvert(),
           nb::arg("sign").noconvert(), nb::arg("linear").noconvert(), nb::arg("upper").noconvert(),
           nb::arg("part_members").noconvert(), nb::arg("part_starts").noconvert(),
           nb::arg("pairs").noconvert());
  nb::class_<SolverOptions>(m, "SvmOptions", "How exactly to solve and with what means.")
      .def(
          "__init__",
          [](SolverOptions* self, double tolerance, double fine_tolerance, std::int64_t max_steps,
             double cache_bytes, bool shrinking) {
            new (self) SolverOptions{tolerance, fine_tolerance, max_steps, cache_bytes, shrinking};
          },
          nb::arg("tolerance"), nb::arg("fine_tolerance"), nb::arg("max_steps"), nb::arg("cache_bytes"),
          nb::arg("shrinking"));
}

}  // namespace

void bind_svm(nb::module_& m) {
  bind_structs(m);
  m.def(
      "svm_solve",
      [](const Rows& rows, KernelTuple kernel, const Problems& problems, const SolverOptions& options,
         bool single, int threads, Vector<double> alpha, Vector<double> scores, Matrix<double> centers,
         Vector<double> violation, Vector<std::int64_t> steps, Vector<std::int32_t> reasons) {
        const BatchSolution out{span(alpha),     span(scores), view(centers),
                                span(violation), span(steps),  span(reasons)};
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          solve_batch(rows.table(), kernel_of(kernel), problems.batch(), options, single, threads, stop, out);
        });
      },
      nb::arg("rows"), nb::arg("kernel"), nb::arg("problems"), nb::arg("options"), nb::arg("single"),
      nb::arg("threads"), nb::arg("alpha").noconvert(), nb::arg("scores").noconvert(),
      nb::arg("centers").noconvert(), nb::arg("violation").noconvert(), nb::arg("steps").noconvert(),
      nb::arg("reasons").noconvert(),
      "Solve the quadratic problems of support vector machines; alpha holds feasible starts.");
  m.def(
      "svm_expand",
      [](const Rows& queries, const Rows& support, KernelTuple kernel,
         Vector<const std::int64_t> group_starts, Matrix<const double> coefficients, int threads,
         Matrix<double> out) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          expand(queries.table(), support.table(), kernel_of(kernel),
                 {span(group_starts), view(coefficients)}, threads, stop, view(out));
        });
      },
      nb::arg("queries"), nb::arg("support"), nb::arg("kernel"), nb::arg("group_starts").noconvert(),
      nb::arg("coefficients").noconvert(), nb::arg("threads"), nb::arg("out").noconvert(),
      "Fill in the kernel expansions at the queries.");
}

}  // namespace certus::bindings
