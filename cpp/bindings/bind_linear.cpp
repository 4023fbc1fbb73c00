#include <cstdint>

#include "bindings/common.hpp"
#include "core/parallel.hpp"
#include "linear/block_descent.hpp"
#include "linear/coordinate_descent.hpp"
#include "linear/dense_pass.hpp"
#include "linear/gram.hpp"
#include "linear/pointwise.hpp"
#include "linear/sparse_product.hpp"

namespace certus::bindings {
namespace {

using linear::Coefficients;
using linear::Rows;
using linear::SparseRows;

template <class T>
void bind_dense(nb::module_& m) {
  m.def(
      "shifted_gram",
      [](StridedMatrix<const T> x, StridedMatrix<const double> y, Vector<const double> weights,
         Vector<const double> shift, int threads, Matrix<double> out) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          linear::shifted_gram<T>(view(x), view(y), span(weights), span(shift), threads, stop, view(out));
        });
      },
      nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("shift").noconvert(), nb::arg("threads"), nb::arg("out").noconvert(),
      "Weighted second moments of [x - shift, y - shift, 1].");
  m.def(
      "loss_gradient",
      [](Loss loss, StridedMatrix<const T> x, Matrix<const double> target, Vector<const double> weights,
         Matrix<const double> coef, Vector<const double> intercept, int threads, Matrix<double> gradient,
         Vector<double> gradient_intercept, Matrix<double> curvature) {
        ensure_blas();
        return run_kernel([&](StopToken& stop) {
          return linear::loss_gradient<T>(loss, {view(x), view(target), span(weights)},
                                          {view(coef), span(intercept)}, threads, stop,
                                          {view(gradient), span(gradient_intercept)},
                                          curvature.size() ? view(curvature) : View2D<double>());
        });
      },
      nb::arg("loss"), nb::arg("x").noconvert(), nb::arg("target").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(),
      nb::arg("threads"), nb::arg("gradient").noconvert(), nb::arg("gradient_intercept").noconvert(),
      nb::arg("curvature").noconvert(),
      "Loss of a linear model, its gradient, and the curvature of every row.");
  m.def(
      "hessian_product",
      [](Loss loss, StridedMatrix<const T> x, Vector<const double> weights, Matrix<const double> curvature,
         Matrix<const double> coef, Vector<const double> intercept, int threads, Matrix<double> product,
         Vector<double> product_intercept) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          linear::hessian_product<T>(loss, {view(x), {}, span(weights)}, view(curvature),
                                     {view(coef), span(intercept)}, threads, stop,
                                     {view(product), span(product_intercept)});
        });
      },
      nb::arg("loss"), nb::arg("x").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("curvature").noconvert(), nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(),
      nb::arg("threads"), nb::arg("product").noconvert(), nb::arg("product_intercept").noconvert(),
      "Hessian of the loss times a direction.");
  m.def(
      "newton_pass",
      [](Loss loss, StridedMatrix<const T> x, Matrix<const double> target, Vector<const double> weights,
         Matrix<const double> coef, Vector<const double> intercept, Vector<const double> shift, int threads,
         Matrix<double> gradient, Vector<double> gradient_intercept, Matrix<double> hessian) {
        ensure_blas();
        return run_kernel([&](StopToken& stop) {
          return linear::newton_pass<T>(loss, {view(x), view(target), span(weights)},
                                        {view(coef), span(intercept)}, span(shift), threads, stop,
                                        {view(gradient), span(gradient_intercept)}, view(hessian));
        });
      },
      nb::arg("loss"), nb::arg("x").noconvert(), nb::arg("target").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(),
      nb::arg("shift").noconvert(), nb::arg("threads"), nb::arg("gradient").noconvert(),
      nb::arg("gradient_intercept").noconvert(), nb::arg("hessian").noconvert(),
      "Loss, gradient and Hessian of a model with one output in one reading of the table.");
  m.def(
      "scores_and_lengths",
      [](StridedMatrix<const T> x, Matrix<const double> coef, Vector<const double> intercept,
         Vector<const double> shift, Vector<const double> scale, int threads, Matrix<double> scores,
         Vector<double> lengths) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          linear::scores_and_lengths<T>(view(x), {view(coef), span(intercept)}, span(shift), span(scale),
                                        threads, stop, view(scores), span(lengths));
        });
      },
      nb::arg("x").noconvert(), nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(),
      nb::arg("shift").noconvert(), nb::arg("scale").noconvert(), nb::arg("threads"),
      nb::arg("scores").noconvert(), nb::arg("lengths").noconvert(),
      "Scores of every row and the length of (x - shift) / scale.");
}

template <class T, class I>
void bind_sparse(nb::module_& m) {
  m.def(
      "sparse_product",
      [](Vector<const I> starts, Vector<const I> columns, Vector<const T> values, Matrix<const double> dense,
         int threads, Matrix<double> out) {
        run_kernel([&](StopToken& stop) {
          linear::sparse_product<T, I>({span(starts), span(columns), span(values)}, view(dense), threads,
                                       stop, view(out));
        });
      },
      nb::arg("starts").noconvert(), nb::arg("columns").noconvert(), nb::arg("values").noconvert(),
      nb::arg("dense").noconvert(), nb::arg("threads"), nb::arg("out").noconvert(),
      "Sparse rows times a dense matrix.");
  m.def(
      "sparse_squares",
      [](Vector<const I> starts, Vector<const I> columns, Vector<const T> values, Vector<const double> scale,
         int threads, Vector<double> squares) {
        run_kernel([&](StopToken& stop) {
          linear::sparse_squares<T, I>({span(starts), span(columns), span(values)}, span(scale), threads,
                                       stop, span(squares));
        });
      },
      nb::arg("starts").noconvert(), nb::arg("columns").noconvert(), nb::arg("values").noconvert(),
      nb::arg("scale").noconvert(), nb::arg("threads"), nb::arg("squares").noconvert(),
      "Sum of the squared scaled entries of every sparse row.");
}

void bind_descend_blocks(nb::module_& m) {
  m.def(
      "descend_blocks",
      [](Matrix<const double> hessian, Vector<const double> gradient, Vector<const double> at,
         Vector<const std::int64_t> starts, Vector<const double> l1, double tol, Index max_sweeps,
         Vector<double> step) {
        return run_kernel([&](StopToken& stop) {
          const linear::BlockProblem problem{view(hessian), span(gradient), span(at), span(starts), span(l1)};
          return linear::descend_blocks(problem, tol, max_sweeps, stop, span(step)).iterations;
        });
      },
      nb::arg("hessian").noconvert(), nb::arg("gradient").noconvert(), nb::arg("at").noconvert(),
      nb::arg("starts").noconvert(), nb::arg("l1").noconvert(), nb::arg("tol"), nb::arg("max_sweeps"),
      nb::arg("step").noconvert(), "Step of a quadratic model with a penalty per block of coefficients.");
}

void bind_descend_gram(nb::module_& m) {
  m.def(
      "descend_gram",
      [](Matrix<const double> hessian, Vector<const double> gradient, Vector<const double> at, double l1,
         double l2, Index penalized, double tol, Vector<double> step) {
        return run_kernel([&](StopToken& stop) {
          const linear::ElasticNet options{l1, l2, penalized, tol};
          return linear::descend_gram(view(hessian), span(gradient), span(at), options, stop, span(step))
              .iterations;
        });
      },
      nb::arg("hessian").noconvert(), nb::arg("gradient").noconvert(), nb::arg("at").noconvert(),
      nb::arg("l1"), nb::arg("l2"), nb::arg("penalized"), nb::arg("tol"), nb::arg("step").noconvert(),
      "Elastic-net step for a quadratic model with an explicit Hessian; returns the number of sweeps.");
}

template <class T, class I>
void bind_descend_columns(nb::module_& m) {
  m.def(
      "descend_columns",
      [](Vector<const I> starts, Vector<const I> rows, Vector<const T> values, Vector<const double> curvature,
         Vector<const double> diagonal, Vector<const double> gradient, Vector<const double> at, double l1,
         double l2, Index penalized, double tol, Vector<double> step, Vector<double> scores) {
        return run_kernel([&](StopToken& stop) {
          const linear::ElasticNet options{l1, l2, penalized, tol};
          return linear::descend_columns<T, I>({span(starts), span(rows), span(values)}, span(curvature),
                                               span(diagonal), span(gradient), span(at), options, stop,
                                               span(step), span(scores))
              .iterations;
        });
      },
      nb::arg("starts").noconvert(), nb::arg("rows").noconvert(), nb::arg("values").noconvert(),
      nb::arg("curvature").noconvert(), nb::arg("diagonal").noconvert(), nb::arg("gradient").noconvert(),
      nb::arg("at").noconvert(), nb::arg("l1"), nb::arg("l2"), nb::arg("penalized"), nb::arg("tol"),
      nb::arg("step").noconvert(), nb::arg("scores").noconvert(),
      "Elastic-net step for a quadratic model given by sparse columns; returns the number of sweeps.");
}

// The pointwise losses on scores that are already there (sparse tables), over fixed ranges of rows.
void bind_pointwise(nb::module_& m) {
  m.def(
      "apply_loss",
      [](Loss loss, Matrix<const double> target, Vector<const double> weights, int threads,
         Matrix<double> scores, Matrix<double> curvature) {
        return run_kernel([&](StopToken& stop) {
          const Index rows = view(scores).rows, outputs = view(scores).cols;
          constexpr Index block = 1024;
          return ordered_reduce(
              block_count(rows, block), threads, stop, 0.0,
              [&](Index at) {
                const Index first = at * block, count = std::min(block, rows - first);
                return linear::apply_loss(loss, count, outputs, view(target).row(first),
                                          weights.size() ? weights.data() + first : nullptr,
                                          view(scores).row(first), view(curvature).row(first));
              },
              [](double a, double b) { return a + b; });
        });
      },
      nb::arg("loss"), nb::arg("target").noconvert(), nb::arg("weights").noconvert(), nb::arg("threads"),
      nb::arg("scores").noconvert(), nb::arg("curvature").noconvert(),
      "Losses of given scores; the scores become derivatives.");
  m.def(
      "apply_curvature",
      [](Loss loss, Matrix<const double> curvature, Vector<const double> weights, int threads,
         Matrix<double> directions) {
        run_kernel([&](StopToken& stop) {
          const Index rows = view(directions).rows, outputs = view(directions).cols;
          parallel_ranges(rows, 1024, threads, stop, [&](Index first, Index last, int) {
            linear::apply_curvature(loss, last - first, outputs, view(curvature).row(first),
                                    weights.size() ? weights.data() + first : nullptr,
                                    view(directions).row(first));
          });
        });
      },
      nb::arg("loss"), nb::arg("curvature").noconvert(), nb::arg("weights").noconvert(), nb::arg("threads"),
      nb::arg("directions").noconvert(), "Multiplies directions by the curvature of every row, in place.");
}

}  // namespace

void bind_linear(nb::module_& m) {
  bind_dense<double>(m);
  bind_dense<float>(m);
  bind_sparse<double, std::int32_t>(m);
  bind_sparse<double, std::int64_t>(m);
  bind_sparse<float, std::int32_t>(m);
  bind_sparse<float, std::int64_t>(m);
  bind_pointwise(m);
  bind_descend_blocks(m);
  bind_descend_gram(m);
  bind_descend_columns<double, std::int32_t>(m);
  bind_descend_columns<double, std::int64_t>(m);
  bind_descend_columns<float, std::int32_t>(m);
  bind_descend_columns<float, std::int64_t>(m);
  m.def("gram_chain", &linear::gram_chain, nb::arg("rows"), nb::arg("width"),
        "The longest chain of additions behind an entry of shifted_gram.");
  m.def("gradient_chain", &linear::gradient_chain, nb::arg("rows"), nb::arg("cols"), nb::arg("outputs"),
        "The longest chain of additions behind an entry of a gradient.");
}

}  // namespace certus::bindings
