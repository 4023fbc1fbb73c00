// Which instruction set the hot loops use, decided once at run time.
//
// A file named *.isa.cpp is compiled once per instruction set with CERTUS_ISA set to its name, and puts all
// it has into namespace certus::<name>. It may include only headers that hold no inline function or template
// (otherwise the linker could pick a wide copy of it for everybody), and *.isa.hpp, whose functions are in an
// unnamed namespace of certus::<name>. Its functions are reached through a table chosen here.
#pragma once

namespace certus {

enum class Isa : int { baseline = 0, avx2 = 1, avx512 = 2 };

// The best the machine has, unless the environment variable CERTUS_ISA asks for less. An unknown name there
// is refused on the first call, which the bindings make while the module is imported.
Isa active_isa();
const char* isa_name(Isa isa) noexcept;

// Picks among the per-instruction-set variants of one table.
template <class Table>
const Table& pick_isa(const Table& baseline, const Table& avx2, const Table& avx512) {
  switch (active_isa()) {
    case Isa::avx512:
      return avx512;
    case Isa::avx2:
      return avx2;
    default:
      return baseline;
  }
}

}  // namespace certus

// Declares the tables that a *.isa.cpp file defines and the function that picks one of them.
#if defined(CERTUS_X86_64)
#define CERTUS_ISA_TABLE(Table, name)                                                      \
  namespace certus::baseline {                                                             \
  extern const Table name##_table;                                                         \
  }                                                                                        \
  namespace certus::avx2 {                                                                 \
  extern const Table name##_table;                                                         \
  }                                                                                        \
  namespace certus::avx512 {                                                               \
  extern const Table name##_table;                                                         \
  }                                                                                        \
  namespace certus {                                                                       \
  const Table& name() noexcept {                                                           \
    static const Table& chosen =                                                           \
        pick_isa<Table>(baseline::name##_table, avx2::name##_table, avx512::name##_table); \
    return chosen;                                                                         \
  }                                                                                        \
  }
#else
#define CERTUS_ISA_TABLE(Table, name)                             \
  namespace certus::baseline {                                    \
  extern const Table name##_table;                                \
  }                                                               \
  namespace certus {                                              \
  const Table& name() noexcept { return baseline::name##_table; } \
  }
#endif
