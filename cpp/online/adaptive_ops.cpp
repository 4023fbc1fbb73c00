#include "online/adaptive_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::AdaptiveOps, adaptive_ops)
