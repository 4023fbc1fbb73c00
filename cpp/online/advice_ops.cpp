#include "online/advice_ops.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::online::AdviceOps, advice_ops)
