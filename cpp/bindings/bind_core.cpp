#include "bindings/common.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "core/rng.hpp"
#include "core/vector_ops.hpp"

namespace certus::bindings {

void bind_core(nb::module_& m) {
  m.def("isa", [] { return std::string(isa_name(active_isa())); }, "The instruction set that the hot loops use.");
  m.def("pool_size", &pool_size, "How many worker threads exist in this process.");
  m.def(
      "dot",
      [](Vector<const double> a, Vector<const double> b) {
        return vector_ops().dot_d(a.data(), b.data(), static_cast<Index>(a.shape(0)));
      },
      nb::arg("a").noconvert(), nb::arg("b").noconvert(), "Inner product of two equally long vectors.");
  m.def(
      "uniforms",
      [](std::uint64_t seed, std::uint64_t stream, Vector<double> out) {
        Rng rng(seed, stream);
        for (double& value : span(out)) value = rng.uniform();
      },
      nb::arg("seed"), nb::arg("stream"), nb::arg("out").noconvert(), "Fill `out` from the stream's uniforms.");
  m.def(
      "spin",
      [](double seconds, int threads) {
        run_kernel([&](StopToken& stop) {
          const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
          parallel_for(threads, threads, stop, [&](Index, int) {
            while (!stop.poll() && std::chrono::steady_clock::now() < end) {
            }
          });
        });
      },
      nb::arg("seconds"), nb::arg("threads"), "Keep threads busy, until Ctrl-C; for the tests of interruption.");
}

}  // namespace certus::bindings
