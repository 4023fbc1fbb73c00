#include "core/vector_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::VectorOps, vector_ops)
