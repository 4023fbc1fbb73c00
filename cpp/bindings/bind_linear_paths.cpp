#include "bindings/common.hpp"

namespace certus::bindings {

void bind_linear_paths(nb::module_&) {}

}  // namespace certus::bindings
