// Products and sums of tables of different variables, without copies: a clique's table is walked in C order,
// and what is multiplied into it, or what it is added up into, by strides (0 along an axis that it does not
// have).
//
// A table is cut into slabs of at most kSlab cells that stay in the cache while all operands are applied.
// Axes of a slab along which an operand is contiguous are joined into one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/view2d.hpp"

namespace certus::graphical {

inline constexpr Index kSlab = Index{1} << 14;

struct Axis {
  Index extent, stride;
};

// How a table is cut: axes before `outer` number the slabs.
struct Layout {
  std::vector<Index> extents;
  Index outer = 0;
  Index slabs = 1;
  Index slab = 1;  // cells of one

  explicit Layout(std::vector<Index> extents_ = {});
  Index cells() const { return slabs * slab; }
};

// The strides of a table over the axes of a layout.
class Operand {
 public:
  Operand() = default;
  Operand(const Layout& layout, const std::vector<Index>& strides);

  // Where the operand stands at the beginning of a slab.
  Index start(Index slab) const;
  // Whether different slabs meet different cells of it.
  bool separates_slabs() const;
  std::span<const Axis> inner() const { return inner_; }

 private:
  std::vector<Axis> outer_, inner_;
};

// Strides of a table in C order with these axes, spread over the axes of a clique.
std::vector<Index> strides_over(const std::vector<int>& clique, const std::vector<int>& own,
                                const std::vector<Index>& extents);

// One slab: t = f, t *= f, out += t, out = max(out, t), out += scale * t.
void assign(const Operand& f, const double* values, double* slab);
void multiply(const Operand& f, const double* values, double* slab);
void add_up(const Operand& f, const double* slab, double* out);
void raise_to(const Operand& f, const double* slab, double* out);
void add_scaled(const Operand& f, const double* slab, double scale, double* out);

}  // namespace certus::graphical
