// Rows of the kernel matrix of one problem, computed in blocks.
//
// Dense rows are copied once: for the Gaussian kernel moved to their mean and scaled by sqrt(gamma), which
// leaves the kernel as it is and keeps |x|^2 + |z|^2 - 2 x.z accurate; a block of rows is then one matrix
// product per block of columns. Sparse rows are multiplied by scattering one of them. A given kernel matrix
// is read. The blocks depend on the problem alone, so that any number of threads gives equal bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "svm/kernel_function.hpp"

namespace certus::svm {

// The training table: dense rows, sparse rows (CSR), or for KernelKind::given a square matrix in `dense`.
struct Table {
  View2D<const double> dense;
  std::span<const double> values;
  std::span<const std::int32_t> columns;
  std::span<const std::int32_t> starts;
  Index width = 0;

  bool sparse() const { return !starts.empty(); }
};

template <class T>
class KernelRows {
 public:
  // The problem's rows are `members` of the table; it must outlive this object if it is sparse or given.
  KernelRows(const Table& table, std::span<const std::int32_t> members, const KernelFunction& kernel);

  Index size() const { return size_; }
  const std::vector<double>& diagonal() const { return diagonal_; }
  // out[r][j] = k(row rows[r], row j) for all j.
  void fill(std::span<const Index> rows, T* const* out, int threads, StopToken& stop) const;
  // out(r, c) = k(row top + r, row first + c) for r < high, c < wide; its rows are `stride` apart.
  void block(Index top, Index high, Index first, Index wide, T* out, Index stride) const;
  const Table& table() const { return *table_; }
  std::span<const std::int32_t> members() const { return members_; }
  const KernelFunction& kernel() const { return kernel_; }

 private:
  void copy_dense(const Table& table);
  void set_diagonal(const Table& table);
  void fill_dense(std::span<const Index> rows, T* const* out, int threads, StopToken& stop) const;
  void fill_sparse(std::span<const Index> rows, T* const* out, int threads, StopToken& stop) const;
  void sparse_row(Index row, Index first, Index count, std::vector<double>& scattered, T* out) const;
  void apply(T* products, Index row, Index first, Index count) const;

  const Table* table_;
  std::span<const std::int32_t> members_;
  KernelFunction kernel_;
  Index size_;
  Index width_;
  std::vector<T> rows_;   // dense rows, one after the other
  std::vector<T> norms_;  // squared norms of the rows as they are multiplied
  std::vector<double> diagonal_;
};

}  // namespace certus::svm
