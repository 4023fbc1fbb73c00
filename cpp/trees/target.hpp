// What a tree predicts: class labels or numbers, for one or several outputs, with optional weights of the
// rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/view2d.hpp"
#include "trees/columns.hpp"

namespace certus::trees {

struct Target {
  Index rows = 0;
  Index outputs = 1;
  const std::uint32_t* labels = nullptr;  // rows x outputs, for classification
  const double* values = nullptr;         // rows x outputs, for regression
  const double* weights = nullptr;        // one per row, or null for all 1
  bool counted = false;        // whether the weights are whole numbers that add up to less than 2^31
  std::vector<Index> classes;  // per output; all 1 for regression
  Index max_classes = 1;

  Index value_size() const { return outputs * max_classes; }
  double weight(Row row) const { return weights != nullptr ? weights[row] : 1.0; }
};

// What is known of a set of rows.
struct Summary {
  double weight = 0.0;
  double impurity = 0.0;
  // outputs x max_classes: the weight of each class; for regression the mean or median of each output
  std::vector<double> totals;
};

}  // namespace certus::trees
