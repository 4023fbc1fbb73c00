#include "core/blas.hpp"

namespace certus {

template <>
BlasFunctions<float>& blas<float>() noexcept {
  static BlasFunctions<float> table;
  return table;
}

template <>
BlasFunctions<double>& blas<double>() noexcept {
  static BlasFunctions<double> table;
  return table;
}

}  // namespace certus
