#include "bindings/common.hpp"

namespace certus::bindings {

void bind_svm(nb::module_&) {}

}  // namespace certus::bindings
