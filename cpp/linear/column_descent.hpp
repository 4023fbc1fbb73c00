// Coordinate descent on the columns themselves, for working sets of sparse columns (or so many dense ones
// that their Gram matrix would be too large). Centering is a scalar: the true residual of target t is
// residual_t + shift_t root.
#pragma once

#include <vector>

#include "linear/anderson.hpp"
#include "linear/column_store.hpp"
#include "linear/gram_descent.hpp"

namespace certus::linear {

// One fitting problem: `target` and `residual` are targets x rows, coefficients columns x targets.
struct Fit {
  Index targets = 1;
  const double* target = nullptr;
  double* coef = nullptr;
  double* residual = nullptr;
};

template <class Store>
class ColumnDescent {
 public:
  ColumnDescent(const CenteredColumns<Store>& table, Rng* random) : table_(table), random_(random) {}
  // As GramDescent::run, with the residual of `fit` up to date before and after.
  void run(Fit& fit, std::vector<Index> columns, const BlockPenalty& penalty, double wanted, Budget& budget,
           StopToken& stop);

 private:
  double sweep(Fit& fit, const std::vector<Index>& columns, const BlockPenalty& penalty);
  void extrapolate(Fit& fit, const std::vector<Index>& columns, const BlockPenalty& penalty);
  double primal(const Fit& fit, const std::vector<Index>& columns, const BlockPenalty& penalty) const;
  double gap(const Fit& fit, const std::vector<Index>& columns, const BlockPenalty& penalty) const;
  double slope(const Fit& fit, Index column, Index target) const;
  void flush(Fit& fit);

  const CenteredColumns<Store>& table_;
  Rng* random_;
  Anderson anderson_;
  std::vector<double> shift_, block_, moving_, trial_;
};

}  // namespace certus::linear
