// Paths of elastic-net and multi-task problems by working sets (Massias, Gramfort, Salmon 2018): solve over
// the few columns that matter, look at all columns whether one was missed, repeat until the duality gap of
// the whole problem is small enough.
//
// One pass over the table per look, in parallel over fixed ranges of columns. Columns that provably have
// coefficients 0 at the optimum (gap-safe sphere, Fercoq, Gramfort, Salmon 2015) are left out of later looks
// at the same penalty. Equal bits for any number of threads.
#pragma once

#include <vector>

#include "linear/active_gram.hpp"
#include "linear/column_descent.hpp"
#include "linear/path_options.hpp"

namespace certus::linear {

// Means (weighted by root^2) and squared centered lengths of all columns. Without centering the means are 0.
template <class Store>
void column_moments(const Store& store, std::span<const double> root, bool center, int threads,
                    StopToken& stop, std::span<double> mean, std::span<double> squares);

// residual (targets x rows) := target - X W, with W given columns x targets. With centering, its component
// along root (rounding) is removed.
template <class Store>
void column_residual(const CenteredColumns<Store>& table, const Fit& fit, bool center);

// out (columns x targets) := X'residual
template <class Store>
void column_products(const CenteredColumns<Store>& table, View2D<const double> residual, int threads,
                     StopToken& stop, View2D<double> out);

template <class Store>
class WorkingSetPath {
 public:
  WorkingSetPath(const CenteredColumns<Store>& table, View2D<const double> target, bool center,
                 const PathOptions& options, int threads, StopToken& stop);
  // Solves all points; coefs of the first point hold the starting coefficients.
  void run(const PathRecord& record);

 private:
  void solve(std::size_t point, const PathRecord& record);
  void look(double least, const BlockPenalty& penalty);
  void screen(const BlockPenalty& penalty, double scale);
  GapParts parts() const;
  std::vector<Index> choose(const BlockPenalty& penalty, double scale);
  void descend(const std::vector<Index>& columns, const BlockPenalty& penalty, double wanted);
  void descend_on_gram(const std::vector<Index>& columns, const BlockPenalty& penalty, double wanted);
  bool is_active(Index column) const;

  const CenteredColumns<Store>& table_;
  View2D<const double> target_;
  bool center_;
  const PathOptions& options_;
  int threads_;
  StopToken& stop_;
  Rng random_;
  GramDescent gram_descent_;
  ColumnDescent<Store> column_descent_;
  ActiveGram active_;
  std::vector<double> coef_, residual_, looked_at_, slope_;  // slope_: columns x targets, of the last look
  std::vector<double> length_, bound_;  // per column: its length, and a bound on its dual size
  std::vector<double> seen_;            // how far the residual had moved when its slope was computed
  double moved_ = 0.0;                  // how far it has moved in all
  std::vector<double> gram_coef_, gram_slope_, gram_cross_;
  std::vector<Index> alive_, working_;
  std::vector<char> in_working_;
  Index gram_limit_;  // columns whose Gram matrix may be kept
  Index least_size_;  // columns that a working set gains, if there are so many
  Budget budget_;
  double last_l1_ = 0.0;  // of the point before, 0 at the first
  double gap_ = 0.0, objective_ = 0.0, target_squares_ = 0.0;
};

}  // namespace certus::linear
