#include "geometry/panel_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

using geometry::panel_rows;
using geometry::tile_queries;
using Size = std::ptrdiff_t;

// Sums of some queries with two vectors of lanes: as many as leave registers for what is multiplied.
#if defined(__AVX512F__)
constexpr Size register_bytes = 64;
constexpr int some = 12;
#elif defined(__AVX__)
constexpr Size register_bytes = 32;
constexpr int some = 6;
#else
constexpr Size register_bytes = 16;
constexpr int some = 6;
#endif
constexpr Size lanes = register_bytes / static_cast<Size>(sizeof(float));
typedef float Values __attribute__((vector_size(register_bytes)));

inline Values load(const float* from) {
  Values found;
  __builtin_memcpy(&found, from, sizeof found);
  return found;
}

inline void add_to(float* to, const Values& values) {
  const Values sum = load(to) + values;
  __builtin_memcpy(to, &sum, sizeof sum);
}

inline void add_some(const float* panel, const float* tile, Size columns, float* sums) {
  Values low[some] = {}, high[some] = {};
  for (Size j = 0; j < columns; ++j) {
    const Values a = load(panel + j * panel_rows), b = load(panel + j * panel_rows + lanes);
    const float* own = tile + j * tile_queries;
#pragma GCC unroll 12
    for (int query = 0; query < some; ++query) {
      low[query] += a * own[query];
      high[query] += b * own[query];
    }
  }
#pragma GCC unroll 12
  for (int query = 0; query < some; ++query) {
    add_to(sums + query * panel_rows, low[query]);
    add_to(sums + query * panel_rows + lanes, high[query]);
  }
}

void add_products(const float* panel, const float* tile, Size columns, float* sums) {
  for (Size query = 0; query < tile_queries; query += some) {
    for (Size lane = 0; lane < panel_rows; lane += 2 * lanes) {
      add_some(panel + lane, tile + query, columns, sums + query * panel_rows + lane);
    }
  }
}

// Hits are rare: first ask whether a query has any, which needs no branch per row.
Size at_most(const float* sums, const float* norms, const float* limits, Size queries, std::int32_t* hits) {
  Size found = 0;
  for (Size query = 0; query < queries; ++query) {
    const float limit = limits[query];
    const float* own = sums + query * panel_rows;
    std::int32_t any = 0;
    for (Size lane = 0; lane < panel_rows; ++lane) any |= own[lane] + norms[lane] <= limit ? 1 : 0;
    if (any == 0) continue;
    for (Size lane = 0; lane < panel_rows; ++lane) {  // no branch: hits come at random
      hits[found] = static_cast<std::int32_t>(query * panel_rows + lane);
      found += own[lane] + norms[lane] <= limit ? 1 : 0;
    }
  }
  return found;
}

}  // namespace

extern const geometry::PanelOps panel_ops_table;
const geometry::PanelOps panel_ops_table = {add_products, at_most};

}  // namespace certus::CERTUS_ISA
