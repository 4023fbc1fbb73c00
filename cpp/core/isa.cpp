#include "core/isa.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace certus {
namespace {

Isa best_of_machine() noexcept {
#if defined(CERTUS_X86_64) && defined(__GNUC__)
  // The same lists as the compiler options in CMakeLists.txt.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (avx2) return avx512 ? Isa::avx512 : Isa::avx2;
#endif
  return Isa::baseline;
}

Isa choose() {
  const Isa best = best_of_machine();
  const char* wish = std::getenv("CERTUS_ISA");
  if (wish == nullptr || *wish == '\0') return best;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    // More than the machine has is not granted: it would be an illegal instruction.
    if (std::strcmp(wish, isa_name(isa)) == 0) return isa < best ? isa : best;
  }
  throw std::invalid_argument(
      std::string("The environment variable CERTUS_ISA must be baseline, avx2 or avx512, "
                  "received '") +
      wish + "'.\nHint: unset it to use the best that the machine has.");
}

}  // namespace

Isa active_isa() {
  static const Isa chosen = choose();
  return chosen;
}

const char* isa_name(Isa isa) noexcept {
  switch (isa) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    default:
      return "baseline";
  }
}

}  // namespace certus
