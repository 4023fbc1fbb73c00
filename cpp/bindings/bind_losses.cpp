#include <string>

#include "bindings/common.hpp"
#include "core/losses.hpp"
#include "core/penalties.hpp"

namespace certus::bindings {
namespace {

Loss make_loss(const std::string& name, double parameter) {
  Loss loss{LossKind::squared, parameter};
  if (!find_loss(name, loss.kind)) throw nb::value_error(("There is no native loss " + name + ".").c_str());
  return loss;
}

void loss_rows(Loss loss, Vector<const double> y, Vector<const double> f, Matrix<double> out) {
  View2D<double> rows = view(out);
  with_loss(loss.kind, [&](auto tag) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const typename decltype(tag)::type at(y.data()[i], f.data()[i], loss.parameter);
      const auto row = static_cast<Index>(i);
      rows(row, 0) = at.value(), rows(row, 1) = at.slope(), rows(row, 2) = at.curvature();
    }
  });
}

}  // namespace

void bind_losses(nb::module_& m) {
  nb::class_<Loss>(m, "Loss").def(
      "__init__",
      [](Loss* self, const std::string& name, double parameter) {
        new (self) Loss(make_loss(name, parameter));
      },
      nb::arg("name"), nb::arg("parameter") = 0.0, "The loss of a name, with its parameter if it has one.");
  m.def(
      "loss_names",
      [] {
        nb::list names;
        for (const char* name : loss_names) names.append(name);
        return names;
      },
      "Names of all losses that kernels know.");
  m.def("loss_rows", &loss_rows, nb::arg("loss"), nb::arg("y").noconvert(), nb::arg("f").noconvert(),
        nb::arg("out").noconvert(),
        "Value, derivative and curvature of a loss of one score, in three columns.");
  m.def(
      "block_prox",
      [](double l1, double l2, bool positive, double step, Vector<double> w) {
        for (double& value : span(w)) value /= step;
        shrink(w.data(), static_cast<Index>(w.size()), 1.0 / step + l2, {l1, l2, positive});
      },
      nb::arg("l1"), nb::arg("l2"), nb::arg("positive"), nb::arg("step"), nb::arg("w").noconvert(),
      "The proximal map of a block's penalty, in place.");
}

}  // namespace certus::bindings
