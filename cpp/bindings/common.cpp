#include "bindings/common.hpp"

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "core/blas.hpp"

namespace certus::bindings {

namespace {

// While the interpreter shuts down, its lock must not be asked for: Python before 3.14 ends the thread that
// asks by unwinding its stack, which a C++ program answers by aborting.
bool shutting_down() noexcept {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

WithoutGil::~WithoutGil() {
  while (shutting_down()) std::this_thread::sleep_for(std::chrono::hours(1));  // until the process ends
  PyEval_RestoreThread(state_);
}

bool python_signal_raised(void*) {
  if (shutting_down()) return true;
  nb::gil_scoped_acquire held;
  return PyErr_CheckSignals() != 0;
}

namespace {

// Takes one function out of scipy's exported C API; the capsule's name is the C signature.
template <class Pointer>
void take(const nb::dict& api, const char* name, const char* signature, Pointer& target) {
  const nb::object capsule = api[name];
  const char* found = PyCapsule_GetName(capsule.ptr());
  if (found == nullptr || std::strcmp(found, signature) != 0) {
    throw nb::import_error((std::string("scipy.linalg.cython_blas.") + name + " has the signature '" +
                            (found ? found : "?") + "', expected '" + signature +
                            "'.\nHint: install a SciPy release that Certus supports.")
                               .c_str());
  }
  target = reinterpret_cast<Pointer>(PyCapsule_GetPointer(capsule.ptr(), found));
}

}  // namespace

void ensure_blas() {
  if (blas<double>().gemm != nullptr) return;
  const nb::dict api =
      nb::cast<nb::dict>(nb::module_::import_("scipy.linalg.cython_blas").attr("__pyx_capi__"));
#define CERTUS_S "__pyx_t_5scipy_6linalg_11cython_blas_s *"
#define CERTUS_D "__pyx_t_5scipy_6linalg_11cython_blas_d *"
#define CERTUS_GEMM(T) \
  "void (char *, char *, int *, int *, int *, " T ", " T ", int *, " T ", int *, " T ", " T ", int *)"
#define CERTUS_SYRK(T) "void (char *, char *, int *, int *, " T ", " T ", int *, " T ", " T ", int *)"
#define CERTUS_GEMV(T) "void (char *, int *, int *, " T ", " T ", int *, " T ", int *, " T ", " T ", int *)"
  take(api, "sgemm", CERTUS_GEMM(CERTUS_S), blas<float>().gemm);
  take(api, "ssyrk", CERTUS_SYRK(CERTUS_S), blas<float>().syrk);
  take(api, "sgemv", CERTUS_GEMV(CERTUS_S), blas<float>().gemv);
  take(api, "dsyrk", CERTUS_SYRK(CERTUS_D), blas<double>().syrk);
  take(api, "dgemv", CERTUS_GEMV(CERTUS_D), blas<double>().gemv);
  take(api, "dgemm", CERTUS_GEMM(CERTUS_D), blas<double>().gemm);  // last: it marks the table as full
}

}  // namespace certus::bindings
