#include "bindings/common.hpp"

namespace certus::bindings {

void bind_boosting(nb::module_&) {}

}  // namespace certus::bindings
