// What a kernel says when it returns: how far it came and why it stopped. Kernels neither print nor throw
// for reasons that lie in the data; Python turns a status into certificates, warnings and errors.
#pragma once

#include <cstdint>
#include <limits>

namespace certus {

enum class StopReason : int {
  converged = 0,      // the stopping rule holds
  out_of_iterations,  // the iteration limit came first
  stalled,            // no further progress at machine precision
  interrupted,        // the stop token was set
  numerical_failure,  // a non-finite value appeared
};

struct Status {
  std::int64_t iterations = 0;
  double gap =
      std::numeric_limits<double>::infinity();  // bound on objective - optimum, if the kernel has one
  StopReason reason = StopReason::converged;
};

}  // namespace certus
