#include "bindings/common.hpp"
#include "linear/leave_one_out.hpp"

namespace certus::bindings {
namespace {

template <class T>
void bind_leverages(nb::module_& m) {
  m.def(
      "ridge_leverages",
      [](StridedMatrix<const T> x, Vector<const double> shift, Matrix<const double> vectors,
         Matrix<const double> damping, Matrix<const double> directions, int threads, Matrix<double> leverages,
         Matrix<double> fitted) {
        ensure_blas();
        run_kernel([&](StopToken& stop) {
          linear::ridge_leverages<T>(view(x), {span(shift), view(vectors), view(damping), view(directions)},
                                     threads, stop, view(leverages), view(fitted));
        });
      },
      nb::arg("x").noconvert(), nb::arg("shift").noconvert(), nb::arg("vectors").noconvert(),
      nb::arg("damping").noconvert(), nb::arg("directions").noconvert(), nb::arg("threads"),
      nb::arg("leverages").noconvert(), nb::arg("fitted").noconvert(),
      "Leverages and fitted values of ridge regression for many penalties.");
}

}  // namespace

void bind_linear_smooth(nb::module_& m) {
  bind_leverages<double>(m);
  bind_leverages<float>(m);
}

}  // namespace certus::bindings
