// Reference loops for the BLAS table, so that kernels can be tested without SciPy.
#pragma once

namespace certus::testing {

void fill_blas_with_reference();

}  // namespace certus::testing
