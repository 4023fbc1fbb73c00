// The Gram matrix of the columns that a working set has ever held. It grows by products of the new columns
// with all kept ones and serves a whole path of penalties.
#pragma once

#include <vector>

#include "linear/column_store.hpp"

namespace certus::linear {

class ActiveGram {
 public:
  ActiveGram(Index rows, Index cols) : rows_(rows), slot_of_(static_cast<std::size_t>(cols), -1) {}

  Index size() const { return static_cast<Index>(columns_.size()); }
  Index stride() const { return capacity_; }
  const double* gram() const { return gram_.data(); }
  Index slot(Index column) const { return slot_of_[static_cast<std::size_t>(column)]; }
  Index column(Index slot) const { return columns_[static_cast<std::size_t>(slot)]; }
  // The centered column in a slot.
  const double* values(Index slot) const { return values_.data() + slot * rows_; }
  void clear();
  // Adds the columns that are not there yet.
  template <class Store>
  void include(const CenteredColumns<Store>& table, const std::vector<Index>& columns) {
    const Index before = size();
    for (const Index j : columns) {
      if (slot(j) < 0) place(j);
    }
    values_.resize(static_cast<std::size_t>(size() * rows_));
    for (Index k = before; k < size(); ++k) {
      double* to = values_.data() + k * rows_;
      const double mean = table.mean[static_cast<std::size_t>(column(k))];
      for (Index i = 0; i < rows_; ++i) to[i] = -mean * table.root[static_cast<std::size_t>(i)];
      table.store.add(column(k), 1.0, to);
    }
    multiply(before);
  }

 private:
  void place(Index column);
  void multiply(Index first_new);

  Index rows_, capacity_ = 0;
  std::vector<Index> slot_of_, columns_;
  std::vector<double> values_, gram_;
};

}  // namespace certus::linear
