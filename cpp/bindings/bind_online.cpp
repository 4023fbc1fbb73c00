#include "bindings/common.hpp"

namespace certus::bindings {

void bind_online(nb::module_&) {}

}  // namespace certus::bindings
