// The inner loop of leaf_masks.hpp, one version per instruction set (see core/isa.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace certus::boosting {

// Rows that go through a tree together.
inline constexpr std::ptrdiff_t mask_rows = 64;

// A row whose number in `column` is larger than the threshold goes right: of the tree's leaves only those in
// `keep` remain.
struct LeafTest {
  double threshold;
  std::uint64_t keep;
  std::int32_t column;
};

// Tests of one tree: missing values go left in the first ones, right in the others.
struct LeafTests {
  const LeafTest* tests;
  std::ptrdiff_t left, all;
};

struct LeafMaskOps {
  // masks[r] = the leaves that row r of the block may end in. Column j of the block begins at
  // block + slots[j] * mask_rows.
  void (*remaining)(const double* block, const std::int32_t* slots, LeafTests tests, std::uint64_t* masks);
};

}  // namespace certus::boosting

namespace certus {

const boosting::LeafMaskOps& leaf_mask_ops() noexcept;

}  // namespace certus
