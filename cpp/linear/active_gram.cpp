#include "linear/active_gram.hpp"

#include <algorithm>

#include "core/blas.hpp"

namespace certus::linear {

void ActiveGram::clear() {
  for (const Index column : columns_) slot_of_[static_cast<std::size_t>(column)] = -1;
  columns_.clear();
}

void ActiveGram::place(Index column) {
  slot_of_[static_cast<std::size_t>(column)] = size();
  columns_.push_back(column);
}

void ActiveGram::multiply(Index first_new) {
  const Index all = size(), fresh = all - first_new;
  if (fresh == 0) return;
  if (all > capacity_) {
    const Index capacity = std::max<Index>(all, 2 * capacity_);
    std::vector<double> larger(static_cast<std::size_t>(capacity * capacity));
    for (Index k = 0; k < first_new; ++k) {
      std::copy_n(gram_.data() + k * capacity_, first_new, larger.data() + k * capacity);
    }
    gram_.swap(larger);
    capacity_ = capacity;
  }
  gemm_nt(fresh, all, rows_, 1.0, values(first_new), rows_, values_.data(), rows_, 0.0,
          gram_.data() + first_new * capacity_, capacity_);
  for (Index k = first_new; k < all; ++k) {
    for (Index other = 0; other < first_new; ++other) {
      gram_[static_cast<std::size_t>(other * capacity_ + k)] =
          gram_[static_cast<std::size_t>(k * capacity_ + other)];
    }
    for (Index other = first_new; other < k; ++other) {  // the same bits on both sides of the diagonal
      gram_[static_cast<std::size_t>(other * capacity_ + k)] =
          gram_[static_cast<std::size_t>(k * capacity_ + other)];
    }
  }
}

}  // namespace certus::linear
