// Inner loops of neighbor search by products, one version per instruction set (see core/isa.hpp).
//
// Rows lie in panels of 32, column by column: panel[j * 32 + lane] is column j of the row in that lane.
// Queries lie in tiles of 12 in the same way, so that what is multiplied comes in one stream each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace certus::geometry {

enum : std::ptrdiff_t { panel_rows = 32, tile_queries = 12 };

struct PanelOps {
  // sums[query * 32 + lane] += the product of each query of a tile and each row of a panel, over some
  // columns.
  void (*add_products)(const float* panel, const float* tile, std::ptrdiff_t columns, float* sums);
  // Writes the places query * 32 + lane with sums[place] + norms[lane] <= limits[query] to `hits`, which has
  // room for all of them, and returns how many there are.
  std::ptrdiff_t (*at_most)(const float* sums, const float* norms, const float* limits,
                            std::ptrdiff_t queries, std::int32_t* hits);
};

}  // namespace certus::geometry

namespace certus {
const geometry::PanelOps& panel_ops() noexcept;
}
