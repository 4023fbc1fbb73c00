// A grown tree of an ensemble.
#pragma once

#include <cstdint>
#include <vector>

#include "boosting/split.hpp"

namespace certus::boosting {

// One node; the Python side reads it as a record of the same layout. Node 0 is the root, parents come before
// their children, both children of a node lie next to each other.
struct Node {
  double value = 0.0;      // what a row that ends here adds to the prediction
  double threshold = 0.0;  // numbers at most this go left
  double gain = 0.0;       // of the division
  std::int64_t rows = 0;
  std::int32_t column = -1;
  std::int32_t left = -1;        // the right child is left + 1; -1 for a leaf
  std::int32_t categories = -1;  // which set of categories goes left; -1: numbers
  std::int32_t depth = 0;
  std::uint8_t bin = 0;
  std::uint8_t missing_left = 0;
  std::uint8_t padding[6] = {};
};
static_assert(sizeof(Node) == 56);

struct Tree {
  std::vector<Node> nodes;
  std::vector<BinSet> category_sets;
};

}  // namespace certus::boosting
