#include "bindings/common.hpp"
#include "kernels/cholesky.hpp"
#include "kernels/gram.hpp"

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
          return kernels::factor_cholesky(matrix.data(), static_cast<Index>(matrix.shape(0)), threads, stop);
        });
      },
      nb::arg("matrix").noconvert(), nb::arg("threads"),
      "Overwrite the lower triangle by the Cholesky factor; returns the first row without a positive pivot.");
}

}  // namespace certus::bindings
