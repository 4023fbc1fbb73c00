#include "kernels/perceptron.hpp"

namespace certus::kernels {

Index perceptron_block(View2D<const double> K, View2D<const double> y, View2D<double> scores,
                       View2D<double> changes, View2D<std::int64_t> wrong, StopToken& stop) {
  Index mistakes = 0;
  for (Index i = 0; i < y.rows && !stop.poll(); ++i) {
    for (Index t = 0; t < y.cols; ++t) {
      const double label = y(i, t);
      const bool mistake = label * scores(i, t) <= 0.0;
      wrong(i, t) = mistake ? 1 : 0;
      if (!mistake) continue;
      ++mistakes;
      changes(i, t) += label;
      const double* line = K.row(i);
      for (Index j = i; j < y.rows; ++j) scores(j, t) += label * line[j];
    }
  }
  return mistakes;
}

}  // namespace certus::kernels
