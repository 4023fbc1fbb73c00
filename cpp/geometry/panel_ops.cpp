#include "geometry/panel_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::geometry::PanelOps, panel_ops)
