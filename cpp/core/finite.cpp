#include "core/finite.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::FiniteOps, finite_ops)
