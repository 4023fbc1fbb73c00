#include "bindings/common.hpp"

namespace certus::bindings {

void bind_guarantees(nb::module_&) {}

}  // namespace certus::bindings
