// Sums per bin of one column of one node: the rows, and some numbers that a criterion adds up. Only bins that
// hold rows are visited and cleared, so that small nodes cost little.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/binned_columns.hpp"

namespace certus::trees {

class BinSums {
 public:
  explicit BinSums(Index width) : width_(width), sums_(static_cast<std::size_t>(width * bin_count)) {}

  // Sums over the rows; add(place among the rows, sums of its bin).
  template <class Add>
  void collect(const std::uint8_t* bins, std::span<const Row> rows, Add&& add) {
    clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Index bin = bins[rows[i]];
      ++rows_[bin];
      add(i, sums_.data() + bin * width_);
    }
    if (rows.size() < bin_count) {
      for (const Row row : rows) use(bins[row]);
    } else {
      for (int bin = 0; bin < bin_count; ++bin) {
        if (rows_[bin] > 0) use(bin);
      }
    }
  }

  // visit(bin) for the bins that hold rows, in order; the missing one is the last.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int word = 0; word < words; ++word) {
      for (std::uint64_t left = used_[word]; left != 0; left &= left - 1) {
        visit(64 * word + std::countr_zero(left));
      }
    }
  }

  Index rows(int bin) const { return rows_[bin]; }
  Index missing() const { return rows_[missing_bin]; }
  const double* sums(int bin) const { return sums_.data() + bin * width_; }
  // Whether all rows are in one bin.
  bool constant() const { return distinct_ < 2; }

 private:
  static constexpr int bin_count = missing_bin + 1, words = bin_count / 64;

  void use(int bin) {
    const std::uint64_t bit = std::uint64_t{1} << (bin & 63);
    distinct_ += (used_[bin >> 6] & bit) == 0;
    used_[bin >> 6] |= bit;
  }
  void clear() {
    for_each([&](int bin) {
      rows_[bin] = 0;
      std::fill_n(sums_.data() + bin * width_, width_, 0.0);
    });
    used_.fill(0);
    distinct_ = 0;
  }

  Index width_;
  std::vector<double> sums_;
  std::array<std::uint32_t, bin_count> rows_{};
  std::array<std::uint64_t, words> used_{};
  int distinct_ = 0;
};

}  // namespace certus::trees
