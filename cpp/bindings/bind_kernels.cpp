#include "bindings/common.hpp"

namespace certus::bindings {

void bind_kernels(nb::module_&) {}

}  // namespace certus::bindings
