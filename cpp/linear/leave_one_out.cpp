#include "linear/leave_one_out.hpp"

#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "linear/row_blocks.hpp"

namespace certus::linear {

template <class T>
void ridge_leverages(View2D<const T> x, const RidgeBasis& basis, int threads, StopToken& stop,
                     View2D<double> leverages, View2D<double> fitted) {
  const Index p = x.cols;
  const RowPlan plan = plan_rows(x.rows, 2 * p, 1);
  struct Scratch {
    std::vector<double> centered, rotated;
  };
  std::vector<Scratch> scratches(static_cast<std::size_t>(threads));
  parallel_for(plan.blocks, threads, stop, [&](Index block, int worker) {
    if (stop.poll()) return;
    const Index first = plan.first_row(block), rows = plan.last_row(block) - first;
    auto& [centered, rotated] = scratches[static_cast<std::size_t>(worker)];
    centered.resize(static_cast<std::size_t>(plan.block_rows * p));
    rotated.resize(static_cast<std::size_t>(plan.block_rows * p));
    RowBlock<T>::copy(x, first, first + rows, centered.data());
    for (Index i = 0; i < rows; ++i) {
      double* row = centered.data() + i * p;
      for (Index j = 0; j < p; ++j) row[j] -= basis.shift[static_cast<std::size_t>(j)];
    }
    gemm_nn(rows, p, p, 1.0, centered.data(), p, basis.vectors.data, p, 0.0, rotated.data(), p);
    gemm_nn(rows, fitted.cols, p, 1.0, rotated.data(), p, basis.directions.data, fitted.cols, 0.0,
            fitted.row(first), fitted.cols);
    for (Index at = 0; at < rows * p; ++at)
      rotated[static_cast<std::size_t>(at)] *= rotated[static_cast<std::size_t>(at)];
    gemm_nn(rows, leverages.cols, p, 1.0, rotated.data(), p, basis.damping.data, leverages.cols, 0.0,
            leverages.row(first), leverages.cols);
  });
}

template void ridge_leverages<float>(View2D<const float>, const RidgeBasis&, int, StopToken&, View2D<double>,
                                     View2D<double>);
template void ridge_leverages<double>(View2D<const double>, const RidgeBasis&, int, StopToken&,
                                      View2D<double>, View2D<double>);

}  // namespace certus::linear
