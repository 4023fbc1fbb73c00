// Which leaf a row ends in, without walking: every test of the tree is made, and each one that sends the row
// right strikes out the leaves below its left child. The first leaf that remains is the row's (Lucchese et
// al. 2015). All rows of a block make the same test at the same time, so that it runs at full vector width.
// Serves trees of at most 64 leaves.
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
  // Which columns of the table some tree tests, and where they lie in a block.
  struct Chosen {
    std::vector<std::int32_t> slots;    // per column of the table
    std::vector<std::int32_t> columns;  // those with a slot
    void add(std::int32_t column);
  };
  // A block of rows by columns: numbers as doubles, categories as bins.
  struct Block {
    Chosen numbers, categories;
    std::vector<double> values;
    std::vector<Bin> bins;
  };

  // Appends a tree and the sets of categories that its nodes name; one of too many leaves is left empty.
  void append(std::span<const Node> nodes, std::span<const BinSet> sets);
  bool serves(Index tree) const { return trees_[tree].first_leaf >= 0; }

  // Room for the columns that trees first .. last-1 test.
  Block make_block(Index first, Index last) const;
  // Fills the block with rows row .. row+count-1; the rest is of no meaning.
  template <class T>
  static void load(View2D<const T> x, Index row, Index count, Block& block);
  // Adds the value of the tree to each of the `count` rows.
  void add(Index tree, const Block& block, Index count, double* out) const;

 private:
  // A row whose category is not in `left` goes right; the bin of missing values stands for unknown ones.
  struct CategoryTest {
    BinSet left;
    std::uint64_t keep;
    std::int32_t column;
  };
  struct Place {
    std::int32_t first_test = 0, left = 0, all = 0;  // as in LeafTests
    std::int32_t first_category_test = 0, category_tests = 0;
    std::int32_t first_leaf = -1;
  };
  static void strike(const CategoryTest& test, const Block& block, std::uint64_t* masks);

  std::vector<LeafTest> tests_;
  std::vector<CategoryTest> category_tests_;
  std::vector<double> values_;  // of the leaves, from left to right
  std::vector<Place> trees_;
};

}  // namespace certus::boosting
