#include "bindings/common.hpp"

namespace certus::bindings {

void bind_trees(nb::module_&) {}

}  // namespace certus::bindings
