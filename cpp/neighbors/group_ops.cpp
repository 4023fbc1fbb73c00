#include "neighbors/group_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::neighbors::GroupOps, group_ops)
