#include "bayes/counts.hpp"
#include "bayes/gaussian.hpp"
#include "bindings/common.hpp"

namespace certus::bindings {
namespace {

template <class T>
void bind_gaussian(nb::module_& m) {
  m.def(
      "add_class_moments",
      [](Matrix<const T> x, Vector<const std::int64_t> codes, Vector<const double> weights,
         Vector<double> weight, Matrix<double> mean, Matrix<double> m2, int threads) {
        const ClassMoments moments{span(weight), view(mean), view(m2)};
        run_kernel([&](StopToken& stop) {
          add_class_moments<T>(view(x), span(codes), span(weights), moments, threads, stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("weight").noconvert(), nb::arg("mean").noconvert(), nb::arg("m2").noconvert(),
      nb::arg("threads"), "Add the rows of x to the weight, mean and squared deviations of their classes.");
  m.def(
      "gaussian_log_joint",
      [](Matrix<const T> x, Matrix<const double> mean, Matrix<const double> precision,
         Vector<const double> constant, Matrix<double> out, int threads) {
        run_kernel([&](StopToken& stop) {
          gaussian_log_joint<T>(view(x), view(mean), view(precision), span(constant), view(out), threads,
                                stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("mean").noconvert(), nb::arg("precision").noconvert(),
      nb::arg("constant").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill out(i, c) with the joint log-likelihood of row i and class c.");
}

template <class T, class I>
bayes::SparseRows<T, I> rows_of(const Vector<const T>& values, const Vector<const I>& columns,
                                const Vector<const I>& starts) {
  return {span(values), span(columns), span(starts)};
}

bayes::RowsByClass groups_of(const Vector<const Index>& rows, const Vector<const Index>& starts,
                             const Vector<const double>& weights) {
  return {span(rows), span(starts), span(weights)};
}

template <class T, class I>
void bind_sparse_counts(nb::module_& m) {
  m.def(
      "add_sparse_counts",
      [](Vector<const T> values, Vector<const I> columns, Vector<const I> starts, Vector<const Index> rows,
         Vector<const Index> classes, Vector<const double> weights, double threshold, Matrix<double> counts,
         int threads) {
        run_kernel([&](StopToken& stop) {
          bayes::add_counts<T, I>(rows_of(values, columns, starts), groups_of(rows, classes, weights),
                                  threshold, view(counts), threads, stop);
        });
      },
      nb::arg("values").noconvert(), nb::arg("columns").noconvert(), nb::arg("starts").noconvert(),
      nb::arg("rows").noconvert(), nb::arg("classes").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("threshold"), nb::arg("counts").noconvert(), nb::arg("threads"),
      "Add the rows of a sparse table to the sums of their classes.");
  m.def(
      "linear_log_joint",
      [](Vector<const T> values, Vector<const I> columns, Vector<const I> starts,
         Matrix<const double> weights, Vector<const double> constant, double threshold, Matrix<double> out,
         int threads) {
        run_kernel([&](StopToken& stop) {
          bayes::linear_log_joint<T, I>(rows_of(values, columns, starts), view(weights), span(constant),
                                        threshold, view(out), threads, stop);
        });
      },
      nb::arg("values").noconvert(), nb::arg("columns").noconvert(), nb::arg("starts").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("constant").noconvert(), nb::arg("threshold"),
      nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill out(i, c) with constant[c] and the product of row i with column c of the weights.");
}

template <class T>
void bind_dense_counts(nb::module_& m) {
  m.def(
      "add_dense_counts",
      [](Matrix<const T> x, Vector<const Index> rows, Vector<const Index> classes,
         Vector<const double> weights, double threshold, Matrix<double> counts, int threads) {
        run_kernel([&](StopToken& stop) {
          bayes::add_counts<T>(view(x), groups_of(rows, classes, weights), threshold, view(counts), threads,
                               stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("rows").noconvert(), nb::arg("classes").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("threshold"), nb::arg("counts").noconvert(), nb::arg("threads"),
      "Add the rows of x to the sums of their classes.");
}

void bind_log_shares(nb::module_& m) {
  m.def(
      "log_shares",
      [](Matrix<const double> counts, Vector<const double> others, Vector<const double> alpha,
         Vector<const double> below, Matrix<double> out, int threads) {
        const bayes::SmoothedShares shares{span(others), span(alpha), span(below)};
        run_kernel(
            [&](StopToken& stop) { bayes::log_shares(view(counts), shares, view(out), threads, stop); });
      },
      nb::arg("counts").noconvert(), nb::arg("others").noconvert(), nb::arg("alpha").noconvert(),
      nb::arg("below").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill out(c, j) with log(count + alpha) minus the logarithm of its class.");
}

void bind_categories(nb::module_& m) {
  m.def(
      "add_categories",
      [](Matrix<const std::int64_t> x, Vector<const std::int64_t> codes, Vector<const double> weights,
         Vector<const std::int64_t> offsets, Matrix<double> counts, int threads) {
        run_kernel([&](StopToken& stop) {
          bayes::add_categories(view(x), span(codes), span(weights), span(offsets), view(counts), threads,
                                stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("offsets").noconvert(), nb::arg("counts").noconvert(), nb::arg("threads"),
      "Count the categories of every column for every class.");
  m.def(
      "category_log_joint",
      [](Matrix<const std::int64_t> x, Matrix<const double> table, Vector<const std::int64_t> offsets,
         Vector<const double> constant, Matrix<double> out, int threads) {
        run_kernel([&](StopToken& stop) {
          bayes::category_log_joint(view(x), view(table), span(offsets), span(constant), view(out), threads,
                                    stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("table").noconvert(), nb::arg("offsets").noconvert(),
      nb::arg("constant").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill out(i, c) with constant[c] and the table's entries for the categories of row i.");
}

}  // namespace

void bind_bayes(nb::module_& m) {
  bind_gaussian<double>(m);
  bind_gaussian<float>(m);
  bind_sparse_counts<double, std::int32_t>(m);
  bind_sparse_counts<double, std::int64_t>(m);
  bind_sparse_counts<float, std::int32_t>(m);
  bind_sparse_counts<float, std::int64_t>(m);
  bind_dense_counts<double>(m);
  bind_dense_counts<float>(m);
  bind_log_shares(m);
  bind_categories(m);
}

}  // namespace certus::bindings
