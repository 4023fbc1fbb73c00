// The best division of a node by one column, from its histogram.
//
// A set of rows with gradient sum G and hessian sum H, predicted by one constant v, changes the loss to
// second order by G v + (H + l2) v^2 / 2. The best v within the node's bounds is clip(-G / (H + l2)); a
// division gains  s(L) + s(R) - s(node)  with  s = -G v  (which is G^2 / (H + l2) without bounds).
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "boosting/binned_table.hpp"
#include "boosting/histogram.hpp"

namespace certus::boosting {

// Bins 0 .. 255 as bits.
using BinSet = std::array<std::uint64_t, 4>;

inline bool contains(const BinSet& set, int bin) { return set[bin >> 6] >> (bin & 63) & 1; }
inline void insert(BinSet& set, int bin) { set[bin >> 6] |= std::uint64_t{1} << (bin & 63); }

struct SplitRules {
  double min_rows = 1.0;      // of each side
  double min_hessian = 1e-3;  // of each side
  double l2 = 0.0;
};

// What the value of a node must lie between; monotone columns narrow it.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

struct Split {
  double gain = 0.0;
  Index column = -1;  // -1: none
  Bin bin = 0;        // numbers go left up to this bin
  bool missing_left = false;
  bool categorical = false;
  BinSet left_bins{};  // categories that go left
  Sums left;
};

double node_value(const Sums& sums, double l2, const Bounds& bounds);

// `sign` is 1 (-1) if the prediction must not fall (rise) with the column.
Split best_split(const BinnedTable& table, Index column, const Sums* histogram, const Sums& node,
                 const Bounds& bounds, int sign, const SplitRules& rules);

}  // namespace certus::boosting
