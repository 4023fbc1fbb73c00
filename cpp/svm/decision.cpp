#include "svm/decision.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "svm/kernel_ops.hpp"

namespace certus::svm {
namespace {

constexpr Index query_block = 64;
constexpr Index support_block = 512;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Kernel values between queries and support vectors, block by block, in double.
class CrossKernel {
 public:
  CrossKernel(const Table& support, const KernelFunction& kernel, Index count);

  struct Scratch {
    std::vector<double> queries, norms, scattered;
  };
  void start(const Table& queries, Index first, Index count, Scratch& scratch) const;
  void values(const Table& queries, Index first, Index count, Index from, Index wide, Scratch& scratch,
              double* out) const;

 private:
  void sparse_products(const Table& queries, Index query, Index from, Index wide, Scratch& scratch,
                       double* out) const;

  const Table& support_;
  KernelFunction kernel_;
  Index width_;
  double scale_ = 1.0;
  std::vector<double> center_, rows_, norms_;
};

CrossKernel::CrossKernel(const Table& support, const KernelFunction& kernel, Index count)
    : support_(support), kernel_(kernel), width_(support.sparse() ? support.width : support.dense.cols) {
  const bool gaussian = kernel.kind == KernelKind::gaussian;
  if (!gaussian) return;
  norms_.resize(at(count), 0.0);
  if (support.sparse()) {
    for (Index i = 0; i < count; ++i) {
      for (std::int32_t k = support.starts[at(i)]; k < support.starts[at(i) + 1]; ++k) {
        norms_[at(i)] += kernel.gamma * support.values[at(k)] * support.values[at(k)];
      }
    }
    return;
  }
  scale_ = std::sqrt(kernel.gamma);
  center_.assign(at(width_), 0.0);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < width_; ++j) center_[at(j)] += support.dense(i, j) / static_cast<double>(count);
  }
  rows_.resize(at(count * width_));
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < width_; ++j) {
      const double value = (support.dense(i, j) - center_[at(j)]) * scale_;
      rows_[at(i * width_ + j)] = value;
      norms_[at(i)] += value * value;
    }
  }
}

void CrossKernel::start(const Table& queries, Index first, Index count, Scratch& scratch) const {
  if (kernel_.kind != KernelKind::gaussian || queries.sparse()) {
    if (queries.sparse()) scratch.scattered.resize(at(width_), 0.0);
    return;
  }
  scratch.queries.resize(at(query_block * width_));
  scratch.norms.assign(at(query_block), 0.0);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < width_; ++j) {
      const double value = (queries.dense(first + i, j) - center_[at(j)]) * scale_;
      scratch.queries[at(i * width_ + j)] = value;
      scratch.norms[at(i)] += value * value;
    }
  }
}

void CrossKernel::sparse_products(const Table& queries, Index query, Index from, Index wide, Scratch& scratch,
                                  double* out) const {
  const std::int32_t begin = queries.starts[at(query)], end = queries.starts[at(query) + 1];
  double norm = 0.0;
  for (std::int32_t k = begin; k < end; ++k) {
    scratch.scattered[at(queries.columns[at(k)])] = queries.values[at(k)];
    norm += queries.values[at(k)] * queries.values[at(k)];
  }
  const bool gaussian = kernel_.kind == KernelKind::gaussian;
  for (Index j = 0; j < wide; ++j) {
    double sum = 0.0;
    for (std::int32_t k = support_.starts[at(from + j)]; k < support_.starts[at(from + j) + 1]; ++k) {
      sum += support_.values[at(k)] * scratch.scattered[at(support_.columns[at(k)])];
    }
    out[j] = gaussian ? kernel_.gamma * sum : sum;
  }
  for (std::int32_t k = begin; k < end; ++k) scratch.scattered[at(queries.columns[at(k)])] = 0.0;
  if (gaussian) kernel_ops<double>().gaussian(out, norms_.data() + from, kernel_.gamma * norm, wide);
}

void CrossKernel::values(const Table& queries, Index first, Index count, Index from, Index wide,
                         Scratch& scratch, double* out) const {
  const KernelOps<double>& ops = kernel_ops<double>();
  const bool gaussian = kernel_.kind == KernelKind::gaussian;
  if (queries.sparse()) {
    for (Index i = 0; i < count; ++i) {
      sparse_products(queries, first + i, from, wide, scratch, out + i * support_block);
    }
  } else if (gaussian) {
    gemm_nt(count, wide, width_, 1.0, scratch.queries.data(), width_, rows_.data() + from * width_, width_,
            0.0, out, support_block);
  } else {
    gemm_nt(count, wide, width_, 1.0, queries.dense.row(first), queries.dense.row_stride,
            support_.dense.row(from), support_.dense.row_stride, 0.0, out, support_block);
  }
  for (Index i = 0; i < count; ++i) {
    double* line = out + i * support_block;
    if (gaussian && !queries.sparse()) ops.gaussian(line, norms_.data() + from, scratch.norms[at(i)], wide);
    if (kernel_.kind == KernelKind::polynomial) {
      ops.polynomial(line, kernel_.gamma, kernel_.coef0, kernel_.degree, wide);
    } else if (kernel_.kind == KernelKind::sigmoid) {
      ops.sigmoid(line, kernel_.gamma, kernel_.coef0, wide);
    }
  }
}

}  // namespace

void expand(const Table& queries, const Table& support, const KernelFunction& kernel,
            const Expansion& expansion, int threads, StopToken& stop, View2D<double> out) {
  const View2D<const double>& coefficients = expansion.coefficients;
  const Index total = coefficients.cols, outputs = coefficients.rows;
  const auto groups = static_cast<Index>(expansion.group_starts.size()) - 1;
  const CrossKernel cross(support, kernel, total);
  struct Worker {
    CrossKernel::Scratch scratch;
    std::vector<double> values;
  };
  std::vector<Worker> workers(at(std::max(threads, 1)));
  parallel_ranges(out.rows, query_block, threads, stop, [&](Index first, Index last, int worker) {
    Worker& own = workers[at(worker)];
    own.values.resize(at(query_block * support_block));
    cross.start(queries, first, last - first, own.scratch);
    for (Index i = first; i < last; ++i) std::fill_n(out.row(i), out.cols, 0.0);
    for (Index from = 0; from < total && !stop.poll(); from += support_block) {
      const Index wide = std::min(support_block, total - from);
      cross.values(queries, first, last - first, from, wide, own.scratch, own.values.data());
      for (Index group = 0; group < groups; ++group) {
        const Index begin = std::max<Index>(expansion.group_starts[at(group)], from);
        const Index end = std::min<Index>(expansion.group_starts[at(group) + 1], from + wide);
        if (begin >= end) continue;
        gemm_nt(last - first, outputs, end - begin, 1.0, own.values.data() + (begin - from), support_block,
                coefficients.row(0) + begin, coefficients.row_stride, 1.0, out.row(first) + group * outputs,
                out.row_stride);
      }
    }
  });
}

}  // namespace certus::svm
