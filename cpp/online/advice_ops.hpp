// Passes over n experts that are fused for speed, one version per instruction set (see core/isa.hpp). Sums
// are kept in a fixed number of lanes, so that one instruction set always gives the same bits.
#pragma once

#include <cstddef>

namespace certus::online {

struct PaidSums {
  double paid;     // sum_i v_i l_i
  double squares;  // sum_i v_i (l_i - low)^2
  double least;    // min_i of the losses after this trial
};

struct LossSums {
  double mixed;  // sum_i v_i exp(-eta l_i)
  double lost;   // sum_i l_i
};

struct AdviceOps {
  // v_i = exp(eta (least - losses_i)); returns their sum
  double (*exp_weights)(const double* losses, double eta, double least, double* v, std::ptrdiff_t n);
  // losses_i += l_i
  PaidSums (*pay)(const double* v, const double* l, double low, double* losses, std::ptrdiff_t n);
  // l_i = (y - x_i)^2, losses_i += l_i, best_i += l_i, mixed_i = v_i exp(-eta l_i)
  LossSums (*square_losses)(const double* v, const double* x, double y, double eta, double* losses,
                            double* best, double* mixed, std::ptrdiff_t n);
  // w_i = max(smallest, scale m_i + shift)
  void (*affine)(const double* m, double scale, double shift, double smallest, double* w, std::ptrdiff_t n);
};

}  // namespace certus::online

namespace certus {

const online::AdviceOps& advice_ops() noexcept;

}  // namespace certus
