#include "bindings/common.hpp"

namespace certus::bindings {

void bind_ensemble(nb::module_&) {}

}  // namespace certus::bindings
