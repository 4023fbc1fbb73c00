// Kernel rows that are kept: least recently used go first when the memory limit is reached.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "svm/kernel_rows.hpp"

namespace certus::svm {

template <class T>
class RowCache {
 public:
  // Keeps at most `bytes`, but never fewer than `fewest` rows.
  RowCache(const KernelRows<T>& source, double bytes, Index fewest);

  // Pointers to the kernel rows of `rows` (at most capacity()); those missing are computed together. They
  // stay valid until the next call.
  void fetch(std::span<const Index> rows, std::span<const T*> out, int threads, StopToken& stop);
  Index capacity() const { return capacity_; }

 private:
  Index take_slot();
  void unlink(Index slot);
  void push_newest(Index slot);

  const KernelRows<T>& source_;
  Index capacity_;
  std::vector<std::unique_ptr<T[]>> slots_;
  std::vector<Index> row_of_slot_;
  std::vector<Index> slot_of_row_;
  std::vector<Index> older_, newer_;  // a list in order of use; the last entry is its head
};

}  // namespace certus::svm
