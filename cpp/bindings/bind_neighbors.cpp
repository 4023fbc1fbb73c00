#include "bindings/common.hpp"

namespace certus::bindings {

void bind_neighbors(nb::module_&) {}

}  // namespace certus::bindings
