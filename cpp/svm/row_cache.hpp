// Kernel rows that are kept: least recently used go first when the memory limit is reached.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "svm/kernel_rows.hpp"

namespace certus::svm {

// Memory for rows of up to `length` values, handed from one problem to the next.
template <class T>
struct RowStore {
  explicit RowStore(Index longest) : length(longest) {}
  Index length;
  std::vector<std::unique_ptr<T[]>> rows;
};

template <class T>
class RowCache {
 public:
  // Keeps at most `bytes`, but never fewer than `fewest` rows.
  RowCache(const KernelRows<T>& source, RowStore<T>& store, double bytes, Index fewest);

  // Pointers to the kernel rows of `rows` (at most capacity()); those missing are computed together. They
  // stay valid until the next call.
  void fetch(std::span<const Index> rows, std::span<const T*> out, int threads, StopToken& stop);
  Index capacity() const { return capacity_; }
  const std::vector<double>& diagonal() const { return source_.diagonal(); }
  std::span<const T> whole() const { return {}; }  // the whole matrix, if it lies in memory
  // scores[i] = sum_j coefficients[j] k(i, j)
  void sums(std::span<const double> coefficients, int threads, StopToken& stop, std::span<double> scores);

 private:
  void sums_of_rows(std::span<const double> coefficients, int threads, StopToken& stop,
                    std::span<double> scores);
  Index take_slot();
  void unlink(Index slot);
  void push_newest(Index slot);

  const KernelRows<T>& source_;
  Index capacity_;
  RowStore<T>& store_;
  std::vector<Index> row_of_slot_;
  std::vector<Index> slot_of_row_;
  std::vector<Index> older_, newer_;  // a list in order of use; the last entry is its head
};

}  // namespace certus::svm
