#include "bindings/common.hpp"
#include "core/cholesky.hpp"
#include "kernels/gram.hpp"
#include "kernels/perceptron.hpp"
#include "kernels/shifted.hpp"

namespace certus::bindings {
namespace {

using FunctionTuple = std::tuple<int, double, double, int>;

kernels::GramFunction function_of(const FunctionTuple& function) {
  return {static_cast<kernels::GramKind>(std::get<0>(function)), std::get<1>(function), std::get<2>(function),
          std::get<3>(function)};
}

}  // namespace

void bind_kernels(nb::module_& m) {
  m.def(
      "kernel_gram",
      [](Matrix<const double> left, Matrix<const double> right, bool symmetric, FunctionTuple function,
         int threads, Matrix<double> out) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          kernels::gram(view(left), view(right), symmetric, function_of(function), threads, stop, view(out));
        });
      },
      nb::arg("left").noconvert(), nb::arg("right").noconvert(), nb::arg("symmetric"), nb::arg("function"),
      nb::arg("threads"), nb::arg("out").noconvert(), "Fill in a kernel matrix.");
  m.def(
      "kernel_map_products",
      [](Matrix<double> products, Vector<const double> left_norms, Vector<const double> right_norms,
         bool symmetric, FunctionTuple function, int threads) {
        run_kernel([&](StopToken& stop) {
          kernels::map_products(view(products), span(left_norms), span(right_norms), symmetric,
                                function_of(function), threads, stop);
        });
      },
      nb::arg("products").noconvert(), nb::arg("left_norms").noconvert(), nb::arg("right_norms").noconvert(),
      nb::arg("symmetric"), nb::arg("function"), nb::arg("threads"),
      "Turn a matrix of inner products into a kernel matrix.");
  m.def(
      "kernel_cholesky",
      [](Matrix<double> matrix, int threads) {
        ensure_blas();
        return run_kernel([&](StopToken& stop) {
          return factor_cholesky(matrix.data(), static_cast<Index>(matrix.shape(0)), 0.0, threads, stop);
        });
      },
      nb::arg("matrix").noconvert(), nb::arg("threads"),
      "Overwrite the lower triangle by the Cholesky factor; returns the first row without a positive pivot.");
  m.def(
      "kernel_scale_and_shift",
      [](Matrix<const double> K, Vector<const std::int64_t> rows, Vector<const double> scale, double shift,
         int threads, Matrix<double> out) {
        run_kernel([&](StopToken& stop) {
          kernels::scale_and_shift(view(K), span(rows), span(scale), shift, threads, stop, view(out));
        });
      },
      nb::arg("K").noconvert(), nb::arg("rows").noconvert(), nb::arg("scale").noconvert(), nb::arg("shift"),
      nb::arg("threads"), nb::arg("out").noconvert(), "Fill in the lower triangle of S K S + shift I.");
  m.def(
      "kernel_perceptron_block",
      [](Matrix<const double> K, Matrix<const double> y, Matrix<double> scores, Matrix<double> changes,
         Matrix<std::int64_t> wrong) {
        return run_kernel([&](StopToken& stop) {
          return kernels::perceptron_block(view(K), view(y), view(scores), view(changes), view(wrong), stop);
        });
      },
      nb::arg("K").noconvert(), nb::arg("y").noconvert(), nb::arg("scores").noconvert(),
      nb::arg("changes").noconvert(), nb::arg("wrong").noconvert(),
      "One pass of the kernel perceptron over a block of rows; returns the number of mistakes.");
}

}  // namespace certus::bindings
