#include <memory>
#include <vector>

#include <nanobind/stl/vector.h>

#include "bindings/held_network.hpp"
#include "graphical/clique_tree.hpp"
#include "graphical/tree_rows.hpp"

namespace certus::bindings {
namespace {

using namespace certus::graphical;
using Bytes = Vector<const std::uint8_t>;
using Places = Vector<const std::int64_t>;

void bind_plan(nb::class_<CliqueTree>& tree) {
  tree.def(
          "__init__",
          [](CliqueTree* self, const HeldNetwork& network, Bytes kept, Bytes observed, Bytes late,
             Places joint) {
            run_kernel([&](StopToken& stop) {
              new (self)
                  CliqueTree(network.model(), {span(kept), span(observed), span(late), span(joint)}, stop);
            });
          },
          nb::arg("network"), nb::arg("kept").noconvert(), nb::arg("observed").noconvert(),
          nb::arg("late").noconvert(), nb::arg("joint").noconvert(), nb::keep_alive<1, 2>())
      .def_prop_ro("cliques", [](const CliqueTree& self) { return self.cliques(); })
      .def_prop_ro("cells", &CliqueTree::cells)
      .def_prop_ro("largest", &CliqueTree::largest)
      .def_prop_ro("width", &CliqueTree::width)
      .def_prop_ro("roundings", &CliqueTree::roundings)
      .def_prop_ro("recomputed", &CliqueTree::recomputed)
      .def_prop_ro("log_total", &CliqueTree::log_total)
      .def_prop_ro("lost", &CliqueTree::lost)
      .def("peak", &CliqueTree::peak, nb::arg("drop"), "Cells in use at the same time.")
      .def("remember", &CliqueTree::remember, "Keep messages between collects.");
}

void bind_messages(nb::class_<CliqueTree>& tree) {
  tree.def(
          "load",
          [](CliqueTree& self, Places states, Vector<const double> weights) {
            self.load(span(states), span(weights));
          },
          nb::arg("states").noconvert(), nb::arg("weights").noconvert(), "Take in evidence.")
      .def(
          "collect",
          [](CliqueTree& self, int mode, bool drop, int threads) {
            return run_kernel([&](StopToken& stop) {
              return self.collect(static_cast<CliqueTree::Mode>(mode), drop, threads, stop);
            });
          },
          nb::arg("mode"), nb::arg("drop"), nb::arg("threads"), "Messages to the roots; False if impossible.")
      .def(
          "distribute",
          [](CliqueTree& self, int threads) {
            run_kernel([&](StopToken& stop) { self.distribute(threads, stop); });
          },
          nb::arg("threads"), "Messages from the roots.")
      .def(
          "marginals",
          [](CliqueTree& self, Places nodes, Places begins, Vector<double> out) {
            for (std::size_t k = 0; k < nodes.size(); ++k) {
              const auto first = static_cast<std::size_t>(begins(k));
              const auto last = static_cast<std::size_t>(begins(k + 1));
              self.marginal(static_cast<Index>(nodes(k)), span(out).subspan(first, last - first));
            }
          },
          nb::arg("nodes").noconvert(), nb::arg("begins").noconvert(), nb::arg("out").noconvert(),
          "Fill in marginals one after the other.")
      .def(
          "joint",
          [](CliqueTree& self, Places nodes, Vector<double> out) { self.joint(span(nodes), span(out)); },
          nb::arg("nodes").noconvert(), nb::arg("out").noconvert(), "Fill in a joint marginal of the root.")
      .def(
          "best",
          [](const CliqueTree& self, Vector<std::int64_t> states, bool late_only) {
            self.best(span(states), late_only);
          },
          nb::arg("states").noconvert(), nb::arg("late_only"), "Fill in the best states.");
}

void bind_rows(nb::class_<CliqueTree>& tree) {
  tree.def(
          "query_rows",
          [](CliqueTree& self, Matrix<const std::int64_t> rows, Index node, Matrix<double> out,
             Vector<double> likelihood) {
            run_kernel([&](StopToken& stop) {
              query_tree_rows(self, view(rows), node, view(out), span(likelihood), stop);
            });
          },
          nb::arg("rows").noconvert(), nb::arg("node"), nb::arg("out").noconvert(),
          nb::arg("likelihood").noconvert(), "Fill in posteriors and likelihoods of rows.")
      .def(
          "count_rows",
          [](CliqueTree& self, Matrix<const std::int64_t> rows, Vector<const double> weights,
             Vector<double> counts, Vector<double> likelihood) {
            run_kernel([&](StopToken& stop) {
              count_tree_rows(self, view(rows), span(weights), span(counts), span(likelihood), stop);
            });
          },
          nb::arg("rows").noconvert(), nb::arg("weights").noconvert(), nb::arg("counts").noconvert(),
          nb::arg("likelihood").noconvert(), "Add expected counts of families.")
      .def(
          "draw_rows",
          [](const CliqueTree& self, std::uint64_t seed, Matrix<std::int32_t> rows) {
            run_kernel([&](StopToken& stop) { draw_tree_rows(self, seed, view(rows), stop); });
          },
          nb::arg("seed"), nb::arg("rows").noconvert(), "Fill in draws given the evidence.");
}

}  // namespace

void bind_clique_tree(nb::module_& m) {
  nb::class_<CliqueTree> tree(m, "CliqueTree", "Exact inference in a Bayesian network.");
  bind_plan(tree);
  bind_messages(tree);
  bind_rows(tree);
}

}  // namespace certus::bindings
