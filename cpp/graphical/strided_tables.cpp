#include "graphical/strided_tables.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace certus::graphical {
namespace {

constexpr std::size_t kMostAxes =
    24;  // of one slab after joining; axes of one state are dropped, so 2^14 cells suffice

// Calls body(cell, place, count, stride) for every run along the innermost axis.
template <class Body>
void walk(std::span<const Axis> axes, Body&& body) {
  if (axes.empty()) {
    body(Index{0}, Index{0}, Index{1}, Index{0});
    return;
  }
  assert(axes.size() <= kMostAxes);
  const Axis last = axes.back();
  const auto rest = axes.first(axes.size() - 1);
  if (rest.empty()) {
    body(Index{0}, Index{0}, last.extent, last.stride);
    return;
  }
  const Axis middle = rest.back();
  std::array<Index, kMostAxes> count{};
  Index cell = 0, place = 0;
  for (;;) {
    for (Index k = 0, at = place; k < middle.extent; ++k, at += middle.stride, cell += last.extent) {
      body(cell, at, last.extent, last.stride);
    }
    auto d = static_cast<Index>(rest.size()) - 2;
    for (; d >= 0; --d) {
      const auto axis = static_cast<std::size_t>(d);
      place += rest[axis].stride;
      if (++count[axis] < rest[axis].extent) break;
      place -= rest[axis].stride * rest[axis].extent;
      count[axis] = 0;
    }
    if (d < 0) return;
  }
}

double sum_of(const double* t, Index count) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  Index i = 0;
  for (; i + 4 <= count; i += 4) {
    a += t[i];
    b += t[i + 1];
    c += t[i + 2];
    d += t[i + 3];
  }
  for (; i < count; ++i) a += t[i];
  return (a + b) + (c + d);
}

}  // namespace

Layout::Layout(std::vector<Index> extents_) : extents(std::move(extents_)) {
  auto first = static_cast<Index>(extents.size());
  while (first > 0 && slab * extents[static_cast<std::size_t>(first - 1)] <= kSlab) {
    slab *= extents[static_cast<std::size_t>(--first)];
  }
  outer = first;
  for (Index axis = 0; axis < outer; ++axis) slabs *= extents[static_cast<std::size_t>(axis)];
}

Operand::Operand(const Layout& layout, const std::vector<Index>& strides) {
  for (std::size_t axis = 0; axis < layout.extents.size(); ++axis) {
    const Axis own{layout.extents[axis], strides[axis]};
    if (own.extent == 1) continue;
    if (static_cast<Index>(axis) < layout.outer) {
      outer_.push_back(own);
    } else if (!inner_.empty() && inner_.back().stride == own.stride * own.extent) {
      inner_.back() = {inner_.back().extent * own.extent, own.stride};
    } else {
      inner_.push_back(own);
    }
  }
}

Index Operand::start(Index slab) const {
  Index place = 0;
  for (auto axis = outer_.rbegin(); axis != outer_.rend(); ++axis) {
    place += (slab % axis->extent) * axis->stride;
    slab /= axis->extent;
  }
  return place;
}

bool Operand::separates_slabs() const {
  return std::all_of(outer_.begin(), outer_.end(), [](const Axis& axis) { return axis.stride != 0; });
}

std::vector<Index> strides_over(const std::vector<int>& clique, const std::vector<int>& own,
                                const std::vector<Index>& extents) {
  std::vector<Index> strides(clique.size(), 0);
  Index stride = 1;
  for (std::size_t k = own.size(); k-- > 0;) {
    const auto axis = std::find(clique.begin(), clique.end(), own[k]);
    assert(axis != clique.end());
    strides[static_cast<std::size_t>(axis - clique.begin())] = stride;
    stride *= extents[k];
  }
  return strides;
}

void assign(const Operand& f, const double* values, double* slab) {
  walk(f.inner(), [&](Index cell, Index place, Index count, Index stride) {
    double* t = slab + cell;
    const double* v = values + place;
    if (stride == 1) {
      std::copy(v, v + count, t);
    } else if (stride == 0) {
      std::fill(t, t + count, *v);
    } else {
      for (Index i = 0; i < count; ++i) t[i] = v[i * stride];
    }
  });
}

void multiply(const Operand& f, const double* values, double* slab) {
  walk(f.inner(), [&](Index cell, Index place, Index count, Index stride) {
    double* t = slab + cell;
    const double* v = values + place;
    if (stride == 1) {
      for (Index i = 0; i < count; ++i) t[i] *= v[i];
    } else if (stride == 0) {
      const double scale = *v;
      for (Index i = 0; i < count; ++i) t[i] *= scale;
    } else {
      for (Index i = 0; i < count; ++i) t[i] *= v[i * stride];
    }
  });
}

void add_up(const Operand& f, const double* slab, double* out) {
  walk(f.inner(), [&](Index cell, Index place, Index count, Index stride) {
    const double* t = slab + cell;
    double* o = out + place;
    if (stride == 0) {
      *o += sum_of(t, count);
    } else {
      for (Index i = 0; i < count; ++i) o[i * stride] += t[i];
    }
  });
}

void raise_to(const Operand& f, const double* slab, double* out) {
  walk(f.inner(), [&](Index cell, Index place, Index count, Index stride) {
    const double* t = slab + cell;
    double* o = out + place;
    if (stride == 0) {
      *o = std::max(*o, *std::max_element(t, t + count));
    } else {
      for (Index i = 0; i < count; ++i) o[i * stride] = std::max(o[i * stride], t[i]);
    }
  });
}

void add_scaled(const Operand& f, const double* slab, double scale, double* out) {
  walk(f.inner(), [&](Index cell, Index place, Index count, Index stride) {
    const double* t = slab + cell;
    double* o = out + place;
    for (Index i = 0; i < count; ++i) o[i * stride] += scale * t[i];
  });
}

}  // namespace certus::graphical
