#include "kernels/gram_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::kernels::GramOps, gram_ops)
