#include "svm/kernel_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::svm::SvmOps, svm_ops)

namespace certus::svm {

template <>
const KernelOps<float>& kernel_ops<float>() noexcept {
  return certus::svm_ops().single;
}
template <>
const KernelOps<double>& kernel_ops<double>() noexcept {
  return certus::svm_ops().precise;
}

}  // namespace certus::svm
