// Counts the terms of texts: a sparse table with a row per text and a column per term.
//
// Texts are divided into sections, each counted with a table of terms of its own; the tables are then joined
// in order. All that comes out (terms in the order in which they first came, sums, sorted rows) does not
// depend on how texts were divided. A row is counted through the last row and place of every term, without
// sorting; its columns are put in order when they are known. Cost: O(characters) to read, O(t log t) to put t
// terms in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "text/analyzer.hpp"
#include "text/row_store.hpp"
#include "text/term_table.hpp"

namespace certus::text {

class TermCounter {
 public:
  // Counts further texts.
  void add(const Analysis& analysis, std::span<const Text> texts, int threads, StopToken& stop);

  Index rows() const;
  Index terms() const { return std::max(known_, static_cast<Index>(terms_.size())); }
  const TermTable& table() const { return terms_; }
  // Frees the table; what is left to do needs the terms' numbers only.
  void forget_terms();

  // For every term its place in the order of the code points of all terms.
  void ranks(std::span<std::int64_t> out, int threads, StopToken& stop) const;
  // For every term the number of rows that have it, and its sum.
  void totals(std::span<std::int64_t> rows, std::span<std::int64_t> sums, StopToken& stop) const;

  // Entries of the table if term t is column columns[t], or dropped where that is negative.
  Index entries(std::span<const std::int64_t> columns, StopToken& stop) const;
  // The table as sorted rows: starts has rows() + 1 places, the others entries(columns). What was counted is
  // given up section by section, so that counts and table are never in memory as a whole.
  template <class Value, class Place>
  void unload(std::span<const std::int64_t> columns, std::span<Place> starts, std::span<Place> indices,
              std::span<Value> values, int threads, StopToken& stop);

 private:
  struct Section {
    TermTable terms;  // its own; empty once it is joined
    RowStore rows;
    std::vector<std::uint32_t> numbers;  // of its own terms among all; empty if they are the same
  };

  void join(Section& section, StopToken& stop);
  std::uint32_t number(const Section& section, std::uint32_t own) const {
    return section.numbers.empty() ? own : section.numbers[own];
  }

  TermTable terms_;
  Index known_ = 0;  // terms before the table was given up
  std::vector<Section> sections_;
};

}  // namespace certus::text
