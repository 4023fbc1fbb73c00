#include "linear/column_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::ColumnOps, column_ops)
