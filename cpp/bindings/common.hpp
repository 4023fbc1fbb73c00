// What every binding file shares: array types, the bridge from Ctrl-C to the stop token, and the BLAS table.
// Bindings hold no logic: they turn arrays into views, release the GIL, call one kernel, and hand on a
// status.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <span>
#include <type_traits>

#include "core/status.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::bindings {

namespace nb = nanobind;

// Inputs are `const`, so that read-only arrays are accepted; use .noconvert() so that nothing is copied
// silently.
template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using StridedMatrix = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;

template <class T>
std::span<T> span(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T, class... Options>
View2D<T> view(const nb::ndarray<T, Options...>& array) {
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)),
          static_cast<Index>(array.stride(0)), static_cast<Index>(array.stride(1))};
}

// Lets other Python threads run while it lives. In a daemon thread that outlives the interpreter it never
// gives control back.
class WithoutGil {
 public:
  WithoutGil() noexcept : state_(PyEval_SaveThread()) {}
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// True after a signal handler raised, and when the interpreter shuts down; takes the GIL itself.
bool python_signal_raised(void*);

// Runs kernel(stop) without the GIL. Ctrl-C ends the kernel early and comes out as KeyboardInterrupt (or what
// the signal's handler raised).
template <class Kernel>
auto run_kernel(Kernel&& kernel) {
  StopToken stop(&python_signal_raised, nullptr);
  using Result = decltype(kernel(stop));
  if constexpr (std::is_void_v<Result>) {
    {
      const WithoutGil released;
      kernel(stop);
    }
    if (PyErr_Occurred()) throw nb::python_error();
  } else {
    Result result = [&] {
      const WithoutGil released;
      return kernel(stop);
    }();
    if (PyErr_Occurred()) throw nb::python_error();
    return result;
  }
}

// Fills the BLAS table from scipy on first use. Call it (with the GIL) before a kernel that needs BLAS.
void ensure_blas();

}  // namespace certus::bindings
