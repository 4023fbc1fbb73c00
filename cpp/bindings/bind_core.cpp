#include <chrono>

#include "bindings/common.hpp"
#include "core/blas.hpp"
#include "core/finite.hpp"
#include "core/isa.hpp"
#include "core/narrow.hpp"
#include "core/parallel.hpp"
#include "core/rng.hpp"
#include "core/vector_ops.hpp"

namespace certus::bindings {
namespace {

constexpr Index dot_block = 4096;
constexpr Index finite_block = Index{1} << 18;

void check_lengths(bool equal) {
  if (!equal) throw nb::value_error("The arrays' lengths do not fit together.");
}

// a'b in fixed blocks on several threads: the pattern by which kernels stay independent of their number.
double dot(Vector<const double> a, Vector<const double> b, int threads) {
  check_lengths(a.shape(0) == b.shape(0));
  const auto length = static_cast<Index>(a.shape(0));
  return run_kernel([&](StopToken& stop) {
    return ordered_reduce(
        block_count(length, dot_block), threads, stop, 0.0,
        [&](Index block) {
          const Index first = block * dot_block;
          return vector_ops().dot_d(a.data() + first, b.data() + first, std::min(dot_block, length - first));
        },
        [](double sum, double part) { return sum + part; });
  });
}

template <class T, bool (*FiniteOps::*scan)(const T*, std::ptrdiff_t, T)>
bool all_finite(Vector<const T> values, int threads, T scale) {
  const auto length = static_cast<Index>(values.shape(0));
  return run_kernel([&](StopToken& stop) {
    return ordered_reduce(
        block_count(length, finite_block), threads, stop, true,
        [&](Index block) {
          const Index first = block * finite_block;
          return (finite_ops().*scan)(values.data() + first, std::min(finite_block, length - first), scale);
        },
        [](bool all, bool part) { return all && part; });
  });
}

bool narrow_table(StridedMatrix<const double> from, StridedMatrix<float> to, int threads) {
  check_lengths(from.shape(0) == to.shape(0) && from.shape(1) == to.shape(1));
  return run_kernel([&](StopToken& stop) { return narrow(view(from), view(to), threads, stop); });
}

template <class T>
void multiply_nt(Matrix<const T> a, Matrix<const T> b, Matrix<T> out) {
  check_lengths(a.shape(1) == b.shape(1) && out.shape(0) == a.shape(0) && out.shape(1) == b.shape(0));
  ensure_blas();
  const View2D<const T> x = view(a), y = view(b);
  gemm_nt(x.rows, y.rows, x.cols, T(1), x.data, x.row_stride, y.data, y.row_stride, T(0), out.data(), y.rows);
}

template <class T>
void multiply_vector(Matrix<const T> a, Vector<const T> x, Vector<T> out) {
  check_lengths(a.shape(1) == x.shape(0) && out.shape(0) == a.shape(0));
  ensure_blas();
  const View2D<const T> matrix = view(a);
  gemv_n(matrix.rows, matrix.cols, T(1), matrix.data, matrix.row_stride, x.data(), T(0), out.data());
}

void uniforms(std::uint64_t seed, std::uint64_t stream, Vector<double> out) {
  Rng rng(seed, stream);
  for (double& value : span(out)) value = rng.uniform();
}

void spin(double seconds, int threads) {
  run_kernel([&](StopToken& stop) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    parallel_for(threads, threads, stop, [&](Index, int) {
      while (!stop.poll() && std::chrono::steady_clock::now() < end) {
      }
    });
  });
}

template <class T, bool (*FiniteOps::*scan)(const T*, std::ptrdiff_t, T)>
void bind_all_finite(nb::module_& m) {
  m.def("all_finite", &all_finite<T, scan>, nb::arg("values").noconvert(), nb::arg("threads"),
        nb::arg("scale") = T(1), "Whether no value, multiplied by the scale, is NaN or infinite.");
}

template <class T>
void bind_products(nb::module_& m) {
  m.def("multiply_nt", &multiply_nt<T>, nb::arg("a").noconvert(), nb::arg("b").noconvert(),
        nb::arg("out").noconvert(), "out = a b' through SciPy's BLAS.");
  m.def("multiply_vector", &multiply_vector<T>, nb::arg("a").noconvert(), nb::arg("x").noconvert(),
        nb::arg("out").noconvert(), "out = a x through SciPy's BLAS.");
}

}  // namespace

void bind_core(nb::module_& m) {
  active_isa();  // an unknown CERTUS_ISA is refused here, by the import
  m.def("isa", [] { return isa_name(active_isa()); }, "The instruction set that the hot loops use.");
  bind_all_finite<double, &FiniteOps::all_finite_d>(m);
  bind_all_finite<float, &FiniteOps::all_finite_f>(m);
  m.def("narrow", &narrow_table, nb::arg("values").noconvert(), nb::arg("out").noconvert(),
        nb::arg("threads"), "Write doubles as floats; whether all of these are finite.");
  m.def("pool_size", &pool_size, "How many worker threads exist in this process.");
  m.def("dot", &dot, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("threads") = 1,
        "Inner product of two equally long vectors; equal bits for any number of threads.");
  bind_products<float>(m);
  bind_products<double>(m);
  m.def("uniforms", &uniforms, nb::arg("seed"), nb::arg("stream"), nb::arg("out").noconvert(),
        "Fill `out` from the stream's uniforms.");
  m.def("spin", &spin, nb::arg("seconds"), nb::arg("threads"),
        "Keep threads busy, until Ctrl-C; for the tests of interruption.");
}

}  // namespace certus::bindings
