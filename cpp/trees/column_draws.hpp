// Draws columns of a table without replacement. What is drawn depends on the random numbers and the width of
// the table only, not on which columns are known to be constant: dense and sparse tables draw the same.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "core/view2d.hpp"

namespace certus::trees {

class ColumnDraws {
 public:
  // What is kept between uses, so that nothing is allocated: 0, 1, 2 … before and after (made if it has
  // another length), and room for the draws.
  struct Memory {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> swapped_with;
  };
  ColumnDraws(Memory& memory, Index columns) : order_(memory.order), swapped_with_(memory.swapped_with) {
    swapped_with_.clear();
    if (order_.size() == static_cast<std::size_t>(columns)) return;
    order_.resize(static_cast<std::size_t>(columns));
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  }
  ColumnDraws(const ColumnDraws&) = delete;
  ColumnDraws& operator=(const ColumnDraws&) = delete;
  // Puts everything back, so that a use costs as much as it draws, however wide the table is.
  ~ColumnDraws() {
    for (std::size_t k = swapped_with_.size(); k-- > 0;) std::swap(order_[k], order_[swapped_with_[k]]);
  }

  // The next column (Fisher, Yates 1938); at most as often as there are columns.
  std::uint32_t next(Rng& rng) {
    const std::size_t done = swapped_with_.size();
    const std::size_t pick = done + static_cast<std::size_t>(rng.below(order_.size() - done));
    std::swap(order_[done], order_[pick]);
    swapped_with_.push_back(pick);
    return order_[done];
  }

 private:
  std::vector<std::uint32_t>& order_;
  std::vector<std::size_t>& swapped_with_;
};

}  // namespace certus::trees
