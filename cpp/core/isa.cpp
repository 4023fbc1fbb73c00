#include "core/isa.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace certus {
namespace {

Isa best_of_machine() noexcept {
#if defined(CERTUS_X86_64) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return Isa::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    return Isa::avx2;
  }
#endif
  return Isa::baseline;
}

Isa choose() noexcept {
  const Isa best = best_of_machine();
  const char* wish = std::getenv("CERTUS_ISA");
  if (wish == nullptr) return best;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    // More than the machine has is not granted: it would be an illegal instruction.
    if (std::strcmp(wish, isa_name(isa)) == 0) return isa < best ? isa : best;
  }
  return best;
}

}  // namespace

Isa active_isa() noexcept {
  static const Isa chosen = choose();
  return chosen;
}

const char* isa_name(Isa isa) noexcept {
  switch (isa) {
    case Isa::avx512: return "avx512";
    case Isa::avx2: return "avx2";
    default: return "baseline";
  }
}

}  // namespace certus
