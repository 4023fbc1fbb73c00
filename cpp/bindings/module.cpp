#include <nanobind/nanobind.h>

namespace nb = nanobind;

// One function per family, each in its own bind_<family>.cpp.
namespace certus::bindings {
void bind_bayes(nb::module_& m);
void bind_boosting(nb::module_& m);
void bind_cluster(nb::module_& m);
void bind_components(nb::module_& m);
void bind_core(nb::module_& m);
void bind_ensemble(nb::module_& m);
void bind_geometry(nb::module_& m);
void bind_graphical(nb::module_& m);
void bind_graphical_learning(nb::module_& m);
void bind_guarantees(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_linear_machines(nb::module_& m);
void bind_linear_paths(nb::module_& m);
void bind_linear_smooth(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_mixture(nb::module_& m);
void bind_neighbors(nb::module_& m);
void bind_neural(nb::module_& m);
void bind_online(nb::module_& m);
void bind_online_linear(nb::module_& m);
void bind_reinforce(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_svm(nb::module_& m);
void bind_text(nb::module_& m);
void bind_trees(nb::module_& m);
}  // namespace certus::bindings

NB_MODULE(_native, m) {
#if defined(NDEBUG)
  nb::set_leak_warnings(false);  // an object alive at exit is no news for a user; developers' builds say it
#endif
  m.doc() = "Certus's compiled kernels. Private: call the learners instead.";
  certus::bindings::bind_losses(m);  // first: the signatures of other kernels name its class
  certus::bindings::bind_bayes(m);
  certus::bindings::bind_boosting(m);
  certus::bindings::bind_cluster(m);
  certus::bindings::bind_components(m);
  certus::bindings::bind_core(m);
  certus::bindings::bind_ensemble(m);
  certus::bindings::bind_geometry(m);
  certus::bindings::bind_graphical(m);
  certus::bindings::bind_graphical_learning(m);
  certus::bindings::bind_guarantees(m);
  certus::bindings::bind_kernels(m);
  certus::bindings::bind_linear(m);
  certus::bindings::bind_linear_machines(m);
  certus::bindings::bind_linear_paths(m);
  certus::bindings::bind_linear_smooth(m);
  certus::bindings::bind_mixture(m);
  certus::bindings::bind_neighbors(m);
  certus::bindings::bind_neural(m);
  certus::bindings::bind_online(m);
  certus::bindings::bind_online_linear(m);
  certus::bindings::bind_reinforce(m);
  certus::bindings::bind_rows(m);
  certus::bindings::bind_svm(m);
  certus::bindings::bind_text(m);
  certus::bindings::bind_trees(m);
}
