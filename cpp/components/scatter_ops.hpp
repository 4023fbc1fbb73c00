// Inner loops of scatter matrices, one version per instruction set (see core/isa.hpp).
//
// Rows that were centered lie in panels of 24 columns, row by row: panel[r * 24 + lane]. A tile is 8 columns
// of a panel.
#pragma once

#include <cstddef>

namespace certus {

namespace components {
constexpr std::ptrdiff_t panel_columns = 24;
constexpr std::ptrdiff_t tile_columns = 8;
}  // namespace components

struct ScatterOps {
  // to[j] := (row[j] - origin[j]) root for some columns, and sums[j] += root to[j].
  void (*center_d)(const double* row, const double* origin, double root, std::ptrdiff_t columns, double* to,
                   double* sums);
  void (*center_f)(const float* row, const double* origin, double root, std::ptrdiff_t columns, double* to,
                   double* sums);
  // sums[i * 24 + j] += sum_r tile[r * 24 + i] panel[r * 24 + j] for the columns i of a tile and j of a
  // panel.
  void (*add_products)(const double* tile, const double* panel, std::ptrdiff_t rows, double* sums);
};

const ScatterOps& scatter_ops() noexcept;

}  // namespace certus
