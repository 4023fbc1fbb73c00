#include "bindings/common.hpp"

namespace certus::bindings {

void bind_linear_machines(nb::module_&) {}

}  // namespace certus::bindings
