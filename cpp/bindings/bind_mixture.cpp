#include "bindings/common.hpp"
#include "mixture/gaussian_steps.hpp"

namespace certus::bindings {
namespace {

mixture::Components components_of(const Matrix<const double>& means, const Matrix<const double>& factors,
                                  const Vector<const double>& constants) {
  return {view(means), view(factors), span(constants)};
}

template <class T>
void bind_gaussian_steps(nb::module_& m) {
  m.def(
      "add_mixture_moments",
      [](Matrix<const T> x, Vector<const double> weights, Matrix<const double> means,
         Matrix<const double> factors, Vector<const double> constants, Matrix<const double> centers,
         Vector<double> weight, Matrix<double> first, Matrix<double> second, int threads) {
        return run_kernel([&](StopToken& stop) {
          return mixture::add_moments<T>(view(x), span(weights), components_of(means, factors, constants),
                                         view(centers), {span(weight), view(first), view(second)}, threads,
                                         stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("weights").noconvert(), nb::arg("means").noconvert(),
      nb::arg("factors").noconvert(), nb::arg("constants").noconvert(), nb::arg("centers").noconvert(),
      nb::arg("weight").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
      nb::arg("threads"), "Add expected moments around the centers; returns the sum of log-densities.");
  m.def(
      "mixture_log_joint",
      [](Matrix<const T> x, Matrix<const double> means, Matrix<const double> factors,
         Vector<const double> constants, Matrix<double> out, int threads) {
        run_kernel([&](StopToken& stop) {
          mixture::log_joint<T>(view(x), components_of(means, factors, constants), view(out), threads, stop);
        });
      },
      nb::arg("x").noconvert(), nb::arg("means").noconvert(), nb::arg("factors").noconvert(),
      nb::arg("constants").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"),
      "Fill in the joint log-density of every row and component.");
}

}  // namespace

void bind_mixture(nb::module_& m) {
  bind_gaussian_steps<double>(m);
  bind_gaussian_steps<float>(m);
}

}  // namespace certus::bindings
