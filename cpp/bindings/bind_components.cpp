#include <optional>

#include "bindings/common.hpp"
#include "components/scatter.hpp"

#include <nanobind/stl/optional.h>

namespace certus::bindings {
namespace {

template <class T>
void bind_scatter(nb::module_& m) {
  m.def(
      "scatter",
      [](Matrix<const T> x, const std::optional<Vector<const double>>& roots, Vector<const double> origin,
         int threads, Matrix<double> out, Vector<double> sums) {
        run_kernel([&](StopToken& stop) {
          const auto own = roots ? span(*roots) : std::span<const double>{};
          components::scatter<T>(view(x), own, span(origin), threads, stop, view(out), span(sums));
        });
      },
      nb::arg("x").noconvert(), nb::arg("roots").noconvert().none(), nb::arg("origin").noconvert(),
      nb::arg("threads"), nb::arg("out").noconvert(), nb::arg("sums").noconvert(),
      "Fill in the scatter matrix of rows around a point, and the sum of their differences from it.");
}

}  // namespace

void bind_components(nb::module_& m) {
  bind_scatter<double>(m);
  bind_scatter<float>(m);
}

}  // namespace certus::bindings
