// A table in compressed form, by columns for growing trees and by rows for prediction.
#pragma once

#include "bindings/common.hpp"

namespace certus::bindings {

struct SparseTable {
  Vector<const float> data;
  Vector<const std::int32_t> indices;
  Vector<const std::int32_t> indptr;
};

}  // namespace certus::bindings
