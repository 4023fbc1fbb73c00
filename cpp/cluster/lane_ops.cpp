#include "cluster/lane_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::cluster::LaneOps, lane_ops)
