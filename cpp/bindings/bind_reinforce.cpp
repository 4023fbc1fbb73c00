#include "bindings/common.hpp"

namespace certus::bindings {

void bind_reinforce(nb::module_&) {}

}  // namespace certus::bindings
