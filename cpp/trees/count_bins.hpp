// Rows and weights per bin and class of one column of one node, where weights are whole numbers: a row is one
// addition to a word whose upper half counts rows and whose lower half adds up weights. Nodes with fewer rows
// than cells are better off with a list of rows for each bin: nothing else is visited or cleared.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/binned_columns.hpp"

namespace certus::trees {

// Label in the upper, weight in the lower half.
using CountedRow = std::uint64_t;

class CountBins {
 public:
  explicit CountBins(Index classes)
      : classes_(classes),
        listed_rows_(classes > 2 ? static_cast<std::size_t>(3 * classes) : 0),
        words_(static_cast<std::size_t>(classes * bin_count)),
        next_(listed_rows_) {}

  // `counted` has an element per row of the node and lives as long as the sums are read.
  void collect(const std::uint8_t* bins, std::span<const Row> rows, const CountedRow* counted) {
    clear();
    counted_ = counted;
    lists_ = rows.size() <= listed_rows_;
    if (lists_) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const int bin = bins[rows[i]];
        use(bin);
        next_[i] = heads_[bin];
        heads_[bin] = static_cast<std::uint32_t>(i) + 1;
      }
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const CountedRow row = counted[i];
        words_[bins[rows[i]] * classes_ + static_cast<Index>(row >> 32)] += one_row | (row & weight_mask);
      }
      if (rows.size() < bin_count) {
        for (const Row row : rows) use(bins[row]);
      } else {
        for (int bin = 0; bin < bin_count; ++bin) {
          if (holds_rows(bin)) use(bin);
        }
      }
    }
    missing_ = visit(missing_bin, [](std::uint64_t, std::uint64_t) {});
  }

  // seen(label, weight) for every row of a bin, or once for all its rows with a label. How many rows.
  template <class Seen>
  Index visit(int bin, Seen&& seen) const {
    std::uint64_t rows = 0;
    if (lists_) {
      for (std::uint32_t i = heads_[bin]; i != 0; i = next_[i - 1], ++rows) {
        seen(counted_[i - 1] >> 32, counted_[i - 1] & weight_mask);
      }
      return static_cast<Index>(rows);
    }
    const std::uint64_t* words = words_.data() + bin * classes_;
    for (Index k = 0; k < classes_; ++k) {
      if (classes_ > 2 && words[k] == 0) continue;
      rows += words[k] >> 32;
      seen(static_cast<std::uint64_t>(k), words[k] & weight_mask);
    }
    return static_cast<Index>(rows);
  }

  // visit(bin) for the bins that hold rows, in order; the missing one is the last.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int word = 0; word < word_count; ++word) {
      for (std::uint64_t left = used_[word]; left != 0; left &= left - 1) {
        visit(64 * word + std::countr_zero(left));
      }
    }
  }

  Index missing() const { return missing_; }
  // Whether all rows are in one bin.
  bool constant() const {
    std::uint64_t first = 0, others = 0;
    for (const std::uint64_t word : used_) {
      others |= first != 0 ? word : word & (word - 1);
      first |= word;
    }
    return others == 0;
  }

 private:
  static constexpr int bin_count = missing_bin + 1, word_count = bin_count / 64;
  static constexpr std::uint64_t one_row = std::uint64_t{1} << 32, weight_mask = one_row - 1;

  void use(int bin) { used_[bin >> 6] |= std::uint64_t{1} << (bin & 63); }
  bool holds_rows(int bin) const {
    std::uint64_t any = 0;
    for (Index k = 0; k < classes_; ++k) any |= words_[bin * classes_ + k];
    return any != 0;
  }
  void clear() {
    for_each([&](int bin) {
      heads_[bin] = 0;
      if (!lists_) std::fill_n(words_.data() + bin * classes_, classes_, std::uint64_t{0});
    });
    used_.fill(0);
  }

  Index classes_;
  std::size_t listed_rows_;  // nodes of so many rows are listed
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> next_;  // of a row in the list of its bin, plus 1
  std::array<std::uint32_t, bin_count> heads_{};
  std::array<std::uint64_t, word_count> used_{};
  const CountedRow* counted_ = nullptr;
  Index missing_ = 0;
  bool lists_ = false;
};

}  // namespace certus::trees
