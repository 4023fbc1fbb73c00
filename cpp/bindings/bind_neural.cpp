#include "bindings/common.hpp"

namespace certus::bindings {

void bind_neural(nb::module_&) {}

}  // namespace certus::bindings
