// Which leaf a row ends in, without walking: every test of the tree is made, and each one that sends the row
// right strikes out the leaves below its left child. The first leaf that remains is the row's (Lucchese et
// al. 2015). All rows of a block make the same test at the same time, so that it runs at full vector width.
// Serves trees of at most 64 leaves without categories.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boosting/leaf_mask_ops.hpp"
#include "boosting/tree.hpp"
#include "core/view2d.hpp"

namespace certus::boosting {

class LeafMasks {
 public:
  // A block of rows as doubles, by columns; only columns that some tree tests.
  struct Block {
    std::vector<double> values;
    std::vector<std::int32_t> slots;    // per column of the table
    std::vector<std::int32_t> columns;  // those with a slot
  };

  // Appends a tree; false if it has too many leaves or divides by categories: it is empty then.
  bool append(std::span<const Node> nodes);
  bool serves(Index tree) const { return trees_[tree].first_leaf >= 0; }

  // Room for the columns that trees first .. last-1 test.
  Block make_block(Index first, Index last) const;
  // Fills the block with rows row .. row+count-1; the rest is of no meaning.
  template <class T>
  static void load(View2D<const T> x, Index row, Index count, Block& block);
  // Adds the value of the tree to each of the `count` rows.
  void add(Index tree, const Block& block, Index count, double* out) const;

 private:
  struct Place {
    std::int32_t first_test = 0, left = 0, all = 0;  // as in LeafTests
    std::int32_t first_leaf = -1;
  };

  std::vector<LeafTest> tests_;
  std::vector<double> values_;  // of the leaves, from left to right
  std::vector<Place> trees_;
};

}  // namespace certus::boosting
