// What the binding files of decision processes share.
#pragma once

#include "bindings/common.hpp"
#include "reinforce/process.hpp"

namespace certus::bindings {

// Holds the arrays that its view reads.
struct HeldProcess {
  Vector<const std::int64_t> starts;
  Vector<const double> rewards;
  Matrix<const double> dense;
  Vector<const std::int64_t> row_starts;
  Vector<const std::int32_t> columns;
  Vector<const double> shares;
  reinforce::Process view;
};

void bind_reinforce_agents(nb::module_& m);

}  // namespace certus::bindings
