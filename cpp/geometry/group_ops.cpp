#include "geometry/group_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::geometry::GroupOps, group_ops)
