#include "neural/network_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::neural::NetworkOps, network_ops)
