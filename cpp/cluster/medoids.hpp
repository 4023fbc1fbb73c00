// k medoids of rows whose distances are given: min over k rows of sum_i w_i min_{medoids m} d(i, m).
//
// build: the row of least total distance, then again and again the row that saves most (Kaufman and Rousseeuw
// 1990), O(k n^2) at worst: what a row saved before bounds what it saves now, so few rows are looked at
// again. swap: FasterPAM (Schubert and Rousseeuw 2021). For every candidate row, in turn, the saving of
// swapping it with each medoid comes from one pass over the rows,
//   sum_o min(0, d(o, j) - d1(o)) + removal(m) + sum_{o of m} (min(d(o, j), d2(o)) - d2(o) + ... ),
// with d1, d2 the distances to the nearest and second nearest medoid; the first swap that saves is made at
// once. lagrangian: for every lambda, sum_i w_i lambda_i + (sum of the k least rho_j) <= the least cost,
// where rho_j = sum_i w_i min(0, d(i, j) - lambda_i): the dual of the assignment constraints.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::cluster {

// Fills in the medoids that the greedy start chooses.
void build_medoids(View2D<const double> distances, std::span<const double> weights, StopToken& stop,
                   std::span<std::int64_t> medoids);

struct MedoidResult {
  double cost = 0.0;
  std::int64_t swaps = 0;
  bool settled = false;  // no swap lowers the cost
};

// Swaps medoids in place until no swap lowers the cost, or for at most `most` rounds of all candidates.
MedoidResult swap_medoids(View2D<const double> distances, std::span<const double> weights, std::int64_t most,
                          StopToken& stop, std::span<std::int64_t> medoids);

// rho for the given lambda; threads cut the columns.
void medoid_savings(View2D<const double> distances, std::span<const double> weights,
                    std::span<const double> lambda, int threads, StopToken& stop, std::span<double> rho);

}  // namespace certus::cluster
