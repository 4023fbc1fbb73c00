#include "linear/row_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::linear::RowOps, machine_row_ops)
