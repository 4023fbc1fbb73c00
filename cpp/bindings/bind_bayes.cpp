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

}  // namespace

void bind_bayes(nb::module_& m) {
  bind_gaussian<double>(m);
  bind_gaussian<float>(m);
}

}  // namespace certus::bindings
