#include "bindings/common.hpp"
#include "core/finite.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "core/rng.hpp"
#include "core/vector_ops.hpp"

namespace certus::bindings {
namespace {

template <class T>
void bind_all_finite(nb::module_& m, bool (*FiniteOps::*scan)(const T*, std::ptrdiff_t)) {
  m.def(
      "all_finite",
      [scan](Vector<const T> values, int threads) {
        const auto whole = span(values);
        return run_kernel([&](StopToken& stop) {
          constexpr Index block = 1 << 18;
          const auto items = static_cast<Index>(whole.size());
          return ordered_reduce(
              block_count(items, block), threads, stop, char{1},
              [&](Index b) -> char {
                const Index first = b * block;
                return (finite_ops().*scan)(whole.data() + first, std::min(block, items - first));
              },
              [](char a, char b) -> char { return a & b; }) != 0;
        });
      },
      nb::arg("values").noconvert(), nb::arg("threads"), "Whether no value is NaN or infinite.");
}

}  // namespace

void bind_core(nb::module_& m) {
  m.def("isa", [] { return std::string(isa_name(active_isa())); }, "The instruction set that the hot loops use.");
  bind_all_finite<double>(m, &FiniteOps::all_finite_d);
  bind_all_finite<float>(m, &FiniteOps::all_finite_f);
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
