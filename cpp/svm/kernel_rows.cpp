#include "svm/kernel_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "svm/kernel_ops.hpp"

namespace certus::svm {
namespace {

constexpr Index column_block = 512;  // with a block of rows its products stay in the second-level cache
constexpr Index row_block = 128;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double kernel_of_product(const KernelFunction& kernel, double product) {
  switch (kernel.kind) {
    case KernelKind::gaussian:
      return 1.0;
    case KernelKind::polynomial:
      return std::pow(kernel.gamma * product + kernel.coef0, kernel.degree);
    case KernelKind::sigmoid:
      return std::tanh(kernel.gamma * product + kernel.coef0);
    default:
      return product;
  }
}

}  // namespace

template <class T>
KernelRows<T>::KernelRows(const Table& table, std::span<const std::int32_t> members,
                          const KernelFunction& kernel)
    : table_(&table),
      members_(members),
      kernel_(kernel),
      size_(static_cast<Index>(members.size())),
      width_(table.sparse() ? table.width : table.dense.cols),
      diagonal_(members.size()) {
  if (kernel.kind != KernelKind::given && !table.sparse()) copy_dense(table);
  set_diagonal(table);
}

template <class T>
void KernelRows<T>::copy_dense(const Table& table) {
  std::vector<double> center(at(width_), 0.0);
  double scale = 1.0;
  if (kernel_.kind == KernelKind::gaussian) {
    scale = std::sqrt(kernel_.gamma);
    for (const std::int32_t member : members_) {
      const double* row = table.dense.row(member);
      for (Index j = 0; j < width_; ++j) center[at(j)] += row[j] / static_cast<double>(size_);
    }
  }
  rows_.resize(at(size_ * width_));
  norms_.resize(at(size_));
  for (Index i = 0; i < size_; ++i) {
    const double* row = table.dense.row(members_[at(i)]);
    T* copy = rows_.data() + i * width_;
    double norm = 0.0;
    for (Index j = 0; j < width_; ++j) {
      copy[j] = static_cast<T>((row[j] - center[at(j)]) * scale);
      norm += static_cast<double>(copy[j]) * static_cast<double>(copy[j]);
    }
    norms_[at(i)] = static_cast<T>(norm);
  }
}

template <class T>
void KernelRows<T>::set_diagonal(const Table& table) {
  if (table.sparse()) norms_.resize(at(size_));
  for (Index i = 0; i < size_; ++i) {
    const std::int32_t member = members_[at(i)];
    if (kernel_.kind == KernelKind::given) {
      diagonal_[at(i)] = static_cast<double>(static_cast<T>(table.dense(member, member)));
      continue;
    }
    double norm = 0.0;
    if (table.sparse()) {
      for (std::int32_t k = table.starts[at(member)]; k < table.starts[at(member) + 1]; ++k) {
        norm += table.values[at(k)] * table.values[at(k)];
      }
      norms_[at(i)] = static_cast<T>(kernel_.kind == KernelKind::gaussian ? kernel_.gamma * norm : norm);
    } else {
      norm = static_cast<double>(norms_[at(i)]);
    }
    diagonal_[at(i)] = kernel_of_product(kernel_, norm);
  }
}

template <class T>
void KernelRows<T>::apply(T* products, Index row, Index first, Index count) const {
  const auto gamma = static_cast<T>(kernel_.gamma), coef0 = static_cast<T>(kernel_.coef0);
  const KernelOps<T>& ops = kernel_ops<T>();
  switch (kernel_.kind) {
    case KernelKind::gaussian:
      ops.gaussian(products, norms_.data() + first, norms_[at(row)], count);
      if (row >= first && row < first + count) products[row - first] = T(1);
      break;
    case KernelKind::polynomial:
      ops.polynomial(products, gamma, coef0, kernel_.degree, count);
      break;
    case KernelKind::sigmoid:
      ops.sigmoid(products, gamma, coef0, count);
      break;
    default:
      break;
  }
}

template <class T>
void KernelRows<T>::fill(std::span<const Index> rows, T* const* out, int threads, StopToken& stop) const {
  if (rows.empty()) return;
  if (kernel_.kind == KernelKind::given) {
    parallel_ranges(static_cast<Index>(rows.size()), 16, threads, stop, [&](Index first, Index last, int) {
      for (Index r = first; r < last; ++r) {
        const double* values = table_->dense.row(members_[at(rows[at(r)])]);
        for (Index j = 0; j < size_; ++j) out[r][j] = static_cast<T>(values[members_[at(j)]]);
      }
    });
  } else if (table_->sparse()) {
    fill_sparse(rows, out, threads, stop);
  } else {
    fill_dense(rows, out, threads, stop);
  }
}

template <class T>
void KernelRows<T>::fill_dense(std::span<const Index> rows, T* const* out, int threads,
                               StopToken& stop) const {
  const Index count = static_cast<Index>(rows.size());
  std::vector<T> gathered(at(count * width_));
  for (Index r = 0; r < count; ++r) {
    std::copy_n(rows_.data() + rows[at(r)] * width_, width_, gathered.data() + r * width_);
  }
  const Index column_blocks = block_count(size_, column_block), row_blocks = block_count(count, row_block);
  std::vector<std::vector<T>> scratch(at(std::max(threads, 1)));
  parallel_for(column_blocks * row_blocks, threads, stop, [&](Index block, int worker) {
    std::vector<T>& products = scratch[at(worker)];
    products.resize(at(row_block * column_block));
    const Index first = block / row_blocks * column_block, top = block % row_blocks * row_block;
    const Index wide = std::min(column_block, size_ - first), high = std::min(row_block, count - top);
    gemm_nt<T>(high, wide, width_, T(1), gathered.data() + top * width_, width_,
               rows_.data() + first * width_, width_, T(0), products.data(), column_block);
    for (Index r = 0; r < high; ++r) {
      T* line = products.data() + r * column_block;
      apply(line, rows[at(top + r)], first, wide);
      std::copy_n(line, wide, out[top + r] + first);
    }
  });
}

// Kernel values between one sparse row and `count` others, by scattering it; `scattered` is zero before and
// after.
template <class T>
void KernelRows<T>::sparse_row(Index row, Index first, Index count, std::vector<double>& scattered,
                               T* out) const {
  const Table& table = *table_;
  const std::int32_t member = members_[at(row)];
  const std::int32_t begin = table.starts[at(member)], end = table.starts[at(member) + 1];
  for (std::int32_t k = begin; k < end; ++k) scattered[at(table.columns[at(k)])] = table.values[at(k)];
  for (Index j = 0; j < count; ++j) {
    const std::int32_t other = members_[at(first + j)];
    double sum = 0.0;
    for (std::int32_t k = table.starts[at(other)]; k < table.starts[at(other) + 1]; ++k) {
      sum += table.values[at(k)] * scattered[at(table.columns[at(k)])];
    }
    out[j] = static_cast<T>(kernel_.kind == KernelKind::gaussian ? kernel_.gamma * sum : sum);
  }
  for (std::int32_t k = begin; k < end; ++k) scattered[at(table.columns[at(k)])] = 0.0;
  apply(out, row, first, count);
}

template <class T>
void KernelRows<T>::fill_sparse(std::span<const Index> rows, T* const* out, int threads,
                                StopToken& stop) const {
  std::vector<std::vector<double>> scratch(at(std::max(threads, 1)));
  parallel_for(static_cast<Index>(rows.size()), threads, stop, [&](Index r, int worker) {
    scratch[at(worker)].resize(at(width_), 0.0);
    sparse_row(rows[at(r)], 0, size_, scratch[at(worker)], out[r]);
  });
}

template <class T>
void KernelRows<T>::block(Index top, Index high, Index first, Index wide, T* out, Index stride) const {
  if (kernel_.kind == KernelKind::given) {
    for (Index r = 0; r < high; ++r) {
      const double* values = table_->dense.row(members_[at(top + r)]);
      for (Index j = 0; j < wide; ++j) out[r * stride + j] = static_cast<T>(values[members_[at(first + j)]]);
    }
  } else if (table_->sparse()) {
    std::vector<double> scattered(at(width_), 0.0);
    for (Index r = 0; r < high; ++r) sparse_row(top + r, first, wide, scattered, out + r * stride);
  } else {
    gemm_nt<T>(high, wide, width_, T(1), rows_.data() + top * width_, width_, rows_.data() + first * width_,
               width_, T(0), out, stride);
    for (Index r = 0; r < high; ++r) apply(out + r * stride, top + r, first, wide);
  }
}

template class KernelRows<float>;
template class KernelRows<double>;

}  // namespace certus::svm
