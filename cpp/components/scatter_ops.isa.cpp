#include "components/scatter_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

using components::panel_columns;
using components::tile_columns;
using Size = std::ptrdiff_t;

// Three vectors of a panel times some columns of a tile: as many sums as leave registers for the factors.
#if defined(__AVX512F__)
constexpr Size register_bytes = 64;
constexpr int own = 8;
#elif defined(__AVX__)
constexpr Size register_bytes = 32;
constexpr int own = 4;
#else
constexpr Size register_bytes = 16;
constexpr int own = 4;
#endif
constexpr int vectors = 3;
constexpr Size lanes = register_bytes / static_cast<Size>(sizeof(double));
typedef double Values __attribute__((vector_size(register_bytes)));

inline Values load(const double* from) {
  Values found;
  __builtin_memcpy(&found, from, sizeof found);
  return found;
}

inline void add_some(const double* tile, const double* panel, Size rows, double* sums) {
  Values found[own][vectors] = {};
  for (Size r = 0; r < rows; ++r) {
    Values other[vectors];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) other[v] = load(panel + r * panel_columns + v * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < own; ++i) {
      const double one = tile[r * panel_columns + i];
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) found[i][v] += other[v] * one;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < own; ++i) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      double* to = sums + i * panel_columns + v * lanes;
      const Values sum = load(to) + found[i][v];
      __builtin_memcpy(to, &sum, sizeof sum);
    }
  }
}

void add_products(const double* tile, const double* panel, Size rows, double* sums) {
  for (Size i = 0; i < tile_columns; i += own) {
    for (Size j = 0; j < panel_columns; j += vectors * lanes) {
      add_some(tile + i, panel + j, rows, sums + i * panel_columns + j);
    }
  }
}

template <class T>
void center(const T* row, const double* origin, double root, Size columns, double* to, double* sums) {
  for (Size j = 0; j < columns; ++j) {
    to[j] = (static_cast<double>(row[j]) - origin[j]) * root;
    sums[j] += root * to[j];
  }
}

}  // namespace

extern const ScatterOps scatter_ops_table;
const ScatterOps scatter_ops_table = {center<double>, center<float>, add_products};

}  // namespace certus::CERTUS_ISA
