// The order of terms by their bytes, which is that of their code points.
#pragma once

#include <cstdint>
#include <vector>

#include "core/stop.hpp"
#include "text/term_table.hpp"

namespace certus::text {

// The numbers of the terms, the smallest term first. Eight bytes are compared at a time: terms are put in
// order by their first eight, those that agree by the next eight, and so on. Terms of one block of first
// bytes are put in order by one thread.
std::vector<std::uint32_t> sorted_terms(const TermTable& terms, int threads, StopToken& stop);

}  // namespace certus::text
