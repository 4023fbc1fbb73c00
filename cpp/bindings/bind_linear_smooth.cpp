#include "bindings/common.hpp"

namespace certus::bindings {

void bind_linear_smooth(nb::module_&) {}

}  // namespace certus::bindings
