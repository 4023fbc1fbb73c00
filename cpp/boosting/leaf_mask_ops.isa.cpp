#include "boosting/leaf_mask_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

using boosting::LeafTest;
using boosting::LeafTests;
using boosting::mask_rows;

constexpr std::uint64_t all_leaves = ~std::uint64_t{0};

// The masks stay in memory between two tests: compilers turn a loop over all of them into vector code, but
// not one over a few that they could hold in registers.
void remaining(const double* block, const std::int32_t* slots, LeafTests tests, std::uint64_t* masks) {
  for (std::ptrdiff_t row = 0; row < mask_rows; ++row) masks[row] = all_leaves;
  std::ptrdiff_t i = 0;
  for (; i < tests.left; ++i) {
    const LeafTest test = tests.tests[i];
    const double* x = block + slots[test.column] * mask_rows;
    for (std::ptrdiff_t row = 0; row < mask_rows; ++row) {
      masks[row] &= x[row] > test.threshold ? test.keep : all_leaves;
    }
  }
  for (; i < tests.all; ++i) {
    const LeafTest test = tests.tests[i];
    const double* x = block + slots[test.column] * mask_rows;
    for (std::ptrdiff_t row = 0; row < mask_rows; ++row) {
      masks[row] &= x[row] <= test.threshold ? all_leaves : test.keep;
    }
  }
}

}  // namespace

extern const boosting::LeafMaskOps leaf_mask_ops_table;
const boosting::LeafMaskOps leaf_mask_ops_table = {remaining};

}  // namespace certus::CERTUS_ISA
