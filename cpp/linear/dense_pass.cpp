#include "linear/dense_pass.hpp"

#include <cmath>
#include <type_traits>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/vector_ops.hpp"
#include "linear/row_blocks.hpp"

namespace certus::linear {
namespace {

// scores (rows x outputs) := block * coef' + intercept
void block_scores(const double* block, Index stride, Index rows, const Coefficients& at, double* scores) {
  const Index outputs = at.coef.rows, cols = at.coef.cols;
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < outputs; ++k) scores[i * outputs + k] = at.intercept[static_cast<std::size_t>(k)];
  }
  if (cols == 0) return;
  if (outputs == 1) {
    gemv_n(rows, cols, 1.0, block, stride, at.coef.data, 1.0, scores);
  } else {
    gemm_nt(rows, outputs, cols, 1.0, block, stride, at.coef.data, at.coef.row_stride, 1.0, scores, outputs);
  }
}

// sum (outputs x (cols + 1)) += [derivatives' block, derivatives' 1]
void add_products(const double* block, Index stride, Index rows, Index cols, Index outputs,
                  const double* derivatives, double* sum) {
  const Index width = cols + 1;
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < outputs; ++k) sum[k * width + cols] += derivatives[i * outputs + k];
  }
  if (cols == 0) return;
  if (outputs == 1) {
    gemv_t(rows, cols, 1.0, block, stride, derivatives, 1.0, sum);
  } else {
    gemm_tn(outputs, cols, rows, 1.0, derivatives, outputs, block, stride, 1.0, sum, width);
  }
}

// Shared by loss, gradient and Hessian products, so that one rounding bound serves all.
// With one output the block is read twice, by two products that are bound by memory: it has to stay in cache.
RowPlan gradient_plan(Index rows, Index cols, Index outputs) {
  return plan_rows(rows, cols, outputs * (cols + 1) + 1, outputs == 1 ? Index{1} << 14 : Index{1} << 16);
}

struct Scratch {
  std::vector<double> block, scores, scaled;
};

// Runs body(block data, stride, first, last, partial sum, scratch) over all blocks; returns the chunks' sums.
template <class T, class Body>
std::vector<double> chunk_sums(View2D<const T> x, const RowPlan& plan, Index outputs, Index sum_size,
                               Index scaled, int threads, StopToken& stop, Body&& body) {
  std::vector<double> sums(static_cast<std::size_t>(plan.chunks * sum_size), 0.0);
  std::vector<Scratch> scratches(static_cast<std::size_t>(threads));
  parallel_for(plan.chunks, threads, stop, [&](Index chunk, int worker) {
    Scratch& scratch = scratches[static_cast<std::size_t>(worker)];
    scratch.block.resize(static_cast<std::size_t>(plan.block_rows * x.cols));
    scratch.scores.resize(static_cast<std::size_t>(plan.block_rows * outputs));
    scratch.scaled.resize(static_cast<std::size_t>(plan.block_rows * scaled));
    double* sum = sums.data() + chunk * sum_size;
    for (Index block = plan.first_block(chunk); block < plan.first_block(chunk + 1); ++block) {
      if (stop.poll()) return;
      const Index first = plan.first_row(block), last = plan.last_row(block);
      const RowBlock<T> rows(x, first, last, scratch.block);
      body(rows.data, rows.stride, first, last, sum, scratch);
    }
  });
  return sums;
}

double total(const std::vector<double>& sums, const RowPlan& plan, Index sum_size, Index at) {
  double result = 0.0;
  for (Index chunk = 0; chunk < plan.chunks; ++chunk)
    result += sums[static_cast<std::size_t>(chunk * sum_size + at)];
  return result;
}

void store_gradient(const std::vector<double>& sums, const RowPlan& plan, Index sum_size, GradientOut out) {
  const Index outputs = out.coef.rows, cols = out.coef.cols, width = cols + 1;
  for (Index k = 0; k < outputs; ++k) {
    for (Index j = 0; j < cols; ++j) out.coef(k, j) = total(sums, plan, sum_size, k * width + j);
    out.intercept[static_cast<std::size_t>(k)] = total(sums, plan, sum_size, k * width + cols);
  }
}

template <class T>
const double* weights_from(const Rows<T>& rows, Index first) {
  return rows.weights.empty() ? nullptr : rows.weights.data() + first;
}

// |(row - shift) * inverse|, summed in four lanes.
double scaled_length(const double* row, const double* shift, const double* inverse, Index columns) {
  double sums[4] = {};
  Index j = 0;
  for (; j + 4 <= columns; j += 4) {
    for (Index lane = 0; lane < 4; ++lane) {
      const double part = (row[j + lane] - shift[j + lane]) * inverse[j + lane];
      sums[lane] += part * part;
    }
  }
  for (; j < columns; ++j) {
    const double part = (row[j] - shift[j]) * inverse[j];
    sums[0] += part * part;
  }
  return std::sqrt((sums[0] + sums[2]) + (sums[1] + sums[3]));
}

// loss_gradient of a table in single precision with one output, without a copy in double precision.
double single_loss_gradient(Loss loss, const Rows<float>& rows, const Coefficients& at, int threads,
                            StopToken& stop, GradientOut gradient, View2D<double> curvature) {
  const Index cols = rows.x.cols, sum_size = cols + 2;
  const RowPlan plan = gradient_plan(rows.x.rows, cols, 1);
  const VectorOps& ops = vector_ops();
  std::vector<double> sums(static_cast<std::size_t>(plan.chunks * sum_size), 0.0);
  std::vector<std::vector<double>> scratches(static_cast<std::size_t>(threads));
  parallel_for(plan.chunks, threads, stop, [&](Index chunk, int worker) {
    std::vector<double>& scores = scratches[static_cast<std::size_t>(worker)];
    scores.resize(static_cast<std::size_t>(plan.block_rows));
    double* sum = sums.data() + chunk * sum_size;
    for (Index block = plan.first_block(chunk); block < plan.first_block(chunk + 1); ++block) {
      if (stop.poll()) return;
      const Index first = plan.first_row(block), count = plan.last_row(block) - first;
      for (Index i = 0; i < count; ++i) {
        scores[static_cast<std::size_t>(i)] =
            at.intercept[0] + ops.dot_fd(rows.x.row(first + i), at.coef.data, cols);
      }
      sum[cols + 1] += apply_loss(loss, count, 1, rows.target.row(first), weights_from(rows, first),
                                  scores.data(), curvature.data ? curvature.row(first) : nullptr);
      for (Index i = 0; i < count; ++i) {
        const double derivative = scores[static_cast<std::size_t>(i)];
        sum[cols] += derivative;
        ops.add_fd(derivative, rows.x.row(first + i), sum, cols);
      }
    }
  });
  store_gradient(sums, plan, sum_size, gradient);
  return total(sums, plan, sum_size, sum_size - 1);
}

}  // namespace

template <class T>
double loss_gradient(Loss loss, const Rows<T>& rows, const Coefficients& at, int threads, StopToken& stop,
                     GradientOut gradient, View2D<double> curvature) {
  if constexpr (std::is_same_v<T, float>) {
    if (at.coef.rows == 1 && rows.x.col_stride == 1) {
      return single_loss_gradient(loss, rows, at, threads, stop, gradient, curvature);
    }
  }
  const Index cols = rows.x.cols, outputs = at.coef.rows, sum_size = outputs * (cols + 1) + 1;
  const RowPlan plan = gradient_plan(rows.x.rows, cols, outputs);
  const auto sums = chunk_sums(
      rows.x, plan, outputs, sum_size, 0, threads, stop,
      [&](const double* block, Index stride, Index first, Index last, double* sum, Scratch& scratch) {
        double* scores = scratch.scores.data();
        block_scores(block, stride, last - first, at, scores);
        sum[sum_size - 1] +=
            apply_loss(loss, last - first, outputs, rows.target.row(first), weights_from(rows, first), scores,
                       curvature.data ? curvature.row(first) : nullptr);
        add_products(block, stride, last - first, cols, outputs, scores, sum);
      });
  store_gradient(sums, plan, sum_size, gradient);
  return total(sums, plan, sum_size, sum_size - 1);
}

template <class T>
void hessian_product(Loss loss, const Rows<T>& rows, View2D<const double> curvature,
                     const Coefficients& direction, int threads, StopToken& stop, GradientOut product) {
  const Index cols = rows.x.cols, outputs = direction.coef.rows, sum_size = outputs * (cols + 1);
  const RowPlan plan = gradient_plan(rows.x.rows, cols, outputs);
  const auto sums = chunk_sums(
      rows.x, plan, outputs, sum_size, 0, threads, stop,
      [&](const double* block, Index stride, Index first, Index last, double* sum, Scratch& scratch) {
        double* scores = scratch.scores.data();
        block_scores(block, stride, last - first, direction, scores);
        apply_curvature(loss, last - first, outputs, curvature.row(first), weights_from(rows, first), scores);
        add_products(block, stride, last - first, cols, outputs, scores, sum);
      });
  store_gradient(sums, plan, sum_size, product);
}

template <class T>
double newton_pass(Loss loss, const Rows<T>& rows, const Coefficients& at, std::span<const double> shift,
                   int threads, StopToken& stop, GradientOut gradient, View2D<double> hessian) {
  const Index cols = rows.x.cols, width = cols + 1, sum_size = width + 1 + width * width;
  const RowPlan plan = plan_rows(rows.x.rows, width, sum_size);
  const auto sums = chunk_sums(
      rows.x, plan, 2, sum_size, width, threads, stop,
      [&](const double* block, Index stride, Index first, Index last, double* sum, Scratch& scratch) {
        const Index count = last - first;
        double* scores = scratch.scores.data();
        double* curvature = scores + count;
        double* scaled = scratch.scaled.data();
        block_scores(block, stride, count, at, scores);
        sum[width] +=
            apply_loss(loss, count, 1, rows.target.row(first), weights_from(rows, first), scores, curvature);
        add_products(block, stride, count, cols, 1, scores, sum);
        for (Index i = 0; i < count; ++i) {
          const double root = std::sqrt(curvature[i]);
          const double* row = block + i * stride;
          double* to = scaled + i * width;
          for (Index j = 0; j < cols; ++j) to[j] = root * (row[j] - shift[static_cast<std::size_t>(j)]);
          to[cols] = root;
        }
        syrk_tn(width, count, 1.0, scaled, width, 1.0, sum + width + 1, width);
      });
  store_gradient(sums, plan, sum_size, gradient);
  for (Index i = 0; i < width; ++i) {
    for (Index j = i; j < width; ++j) {
      hessian(i, j) = hessian(j, i) = total(sums, plan, sum_size, width + 1 + i * width + j);
    }
  }
  return total(sums, plan, sum_size, width);
}

template <class T>
void scores_and_lengths(View2D<const T> x, const Coefficients& at, std::span<const double> shift,
                        std::span<const double> scale, int threads, StopToken& stop, View2D<double> scores,
                        std::span<double> lengths) {
  const Index outputs = at.coef.rows;
  const RowPlan plan = plan_rows(x.rows, x.cols, 1);
  std::vector<double> inverse;
  for (const double value : scale) inverse.push_back(1.0 / value);
  chunk_sums(x, plan, outputs, 1, 0, threads, stop,
             [&](const double* block, Index stride, Index first, Index last, double*, Scratch&) {
               block_scores(block, stride, last - first, at, scores.row(first));
               if (lengths.empty()) return;
               for (Index i = first; i < last; ++i) {
                 const double* row = block + (i - first) * stride;
                 lengths[static_cast<std::size_t>(i)] =
                     scaled_length(row, shift.data(), inverse.data(), x.cols);
               }
             });
}

Index gradient_chain(Index rows, Index cols, Index outputs) {
  return gradient_plan(rows, cols, outputs).longest_chain();
}

#define CERTUS_INSTANTIATE(T)                                                                               \
  template double loss_gradient<T>(Loss, const Rows<T>&, const Coefficients&, int, StopToken&, GradientOut, \
                                   View2D<double>);                                                         \
  template void hessian_product<T>(Loss, const Rows<T>&, View2D<const double>, const Coefficients&, int,    \
                                   StopToken&, GradientOut);                                                \
  template double newton_pass<T>(Loss, const Rows<T>&, const Coefficients&, std::span<const double>, int,   \
                                 StopToken&, GradientOut, View2D<double>);                                  \
  template void scores_and_lengths<T>(View2D<const T>, const Coefficients&, std::span<const double>,        \
                                      std::span<const double>, int, StopToken&, View2D<double>,             \
                                      std::span<double>);
CERTUS_INSTANTIATE(float)
CERTUS_INSTANTIATE(double)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
