#include "core/row_hash_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::RowHashOps, row_hash_ops)
