#include "bindings/common.hpp"

namespace certus::bindings {

void bind_linear(nb::module_&) {}

}  // namespace certus::bindings
