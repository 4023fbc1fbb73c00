#include "guarantees/capital.hpp"

#include "core/isa.hpp"

CERTUS_ISA_TABLE(certus::CapitalOps, capital_ops)
