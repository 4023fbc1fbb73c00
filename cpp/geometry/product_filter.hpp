// Exact Euclidean neighbors by matrix products in single precision.
//
// ||x - q||^2 = ||x||^2 - 2 x.q + ||q||^2 is fast (products of panels of rows and tiles of queries) but its
// rounding error is of the order of the squared norms, not of the distance. So the products only *filter*:
// rows that can be among the k nearest, whatever the rounding did, are kept, and their distances are computed
// directly from the original rows in double. The result is the same, bit for bit, as comparing every pair.
//
// Proof. Let c be the rows' center, r = max_i ||x_i - c||, a = ||x_i - c|| / r <= 1, b = ||q - c|| / r,
// u = 2^-24. Let z_i, z be (x_i - c) / r and (q - c) / r in single precision, D_i = ||x_i - q||^2 / r^2.
//   1. ||z_i - (x_i - c) / r|| <= u' a and likewise for q, u' = u (1 + 2^-20): so ||z_i - z||^2 differs from
//   D_i
//      by at most 2 u' (a + b)^2 + u'^2 (a + b)^2 <= 2.1 u (a + b)^2.
//   2. The product -2 z.z_i, d products summed in any order, fused or not, errs by at most
//      2 d u / (1 - d u) |z|.|z_i| <= 1.01 d u (a + b)^2 / 2 for d u <= 2^-8 (as 2 a b <= (a + b)^2 / 2);
//      the rounded norm ||z_i||^2 by u a^2, their sum v_i by u (a^2 + 2 a b): together below (d / 2 + 3) u
//      (a + b)^2 with the constants above. So v_i + ||z||^2 = D_i + e_i, |e_i| <= (d / 2 + 5.2) u (a + b)^2.
//   3. The directly computed distance is r^2 D_i (1 + h), |h| <= (d + 2) 2^-53: less than 0.1 u D_i, D_i <=
//      (a + b)^2. Underflow in single precision adds at most 4 d 2^-126.
// With E = (d + 8) u (1 + b)^2 >= the sum of all of these: k rows have v_i <= t, the k-th smallest v, so the
// k rows that are nearest by computed distance have v_i <= t + 2 E. A running t only shrinks, hence keeping
// every row with v_i <= t + 2 E keeps them all. Where so many rows lie within 2 E of each other that the
// buffer of a query overflows (duplicates, clusters tiny against r), that query is answered by `scan_some`.
#pragma once

#include <cstdint>
#include <vector>

#include "core/aligned.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/k_best.hpp"

namespace certus::geometry {

template <class T>
class ProductFilter {
 public:
  // Keeps a centered, scaled copy of the rows in single precision: memory 4 n (d + 1) bytes.
  ProductFilter(View2D<const T> rows, int threads, StopToken& stop);

  // The k nearest of the same rows for each query by increasing (squared distance, row). Returns how
  // many queries had to be answered by a full scan.
  Index query(View2D<const T> rows, View2D<const double> queries, int threads, StopToken& stop,
              NeighborTable out) const;

 private:
  struct Candidate {
    float value;
    std::int32_t row;
  };
  class Shortlist;
  struct Scratch;

  double largest_squared_norm(View2D<const T> rows, int threads, StopToken& stop) const;
  double prepare_query(const double* query, float* scaled) const;
  void prepare_block(View2D<const double> queries, Index k, Scratch& scratch) const;
  void filter_block(View2D<const double> queries, Index k, StopToken& stop, Scratch& scratch) const;
  Index finish_block(View2D<const T> rows, View2D<const double> queries, Index first, Index last,
                     StopToken& stop, Scratch& scratch, NeighborTable out) const;

  Index rows_;
  Index columns_;
  bool usable_;
  std::vector<double> center_;
  double scale_ = 1.0;           // 1 / r
  AlignedVector<float> scaled_;  // rows x columns, in panels (panel_ops.hpp)
  AlignedVector<float> norms_;   // ||z_i||^2
};

}  // namespace certus::geometry
