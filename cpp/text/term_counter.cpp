#include "text/term_counter.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/freed_memory.hpp"
#include "core/parallel.hpp"
#include "text/term_order.hpp"

namespace certus::text {
namespace {

constexpr std::size_t kPoll = 64;     // texts between two looks at the stop token
constexpr Index kRowsPerBlock = 256;  // rows that are put in order together
constexpr Index kSmallest = 1 << 16;  // characters for which a section of its own is worth it
constexpr std::uint64_t kNever = ~std::uint64_t{0};

// Where a term was last seen: its row there and its place among the pairs.
struct Seen {
  std::uint64_t row = kNever;
  std::uint64_t place = 0;
};

void count(const Analysis& analysis, std::span<const Text> texts, TermTable& terms, RowStore& rows,
           StopToken& stop) {
  Analyzer analyzer(analysis);
  std::vector<Seen> seen(terms.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i % kPoll == 0 && stop.poll()) return;
    analyzer.terms(texts[i], [&](std::string_view term) {
      const std::uint32_t id = terms.add(term, hash_bytes(term));
      if (id == seen.size()) seen.emplace_back();
      Seen& last = seen[id];
      if (last.row == i) {
        ++rows.counts[last.place];
        return;
      }
      last = {i, rows.columns.size()};
      rows.columns.push_back(id);
      rows.counts.push_back(1);
    });
    rows.end_row();
  }
}

// Ranges of texts with about equally many characters each.
std::vector<std::size_t> divide(std::span<const Text> texts, int threads) {
  Index characters = 0;
  for (const Text& text : texts) characters += text.length;
  const Index wanted = std::min<Index>(4 * threads, characters / kSmallest);
  std::vector<std::size_t> cuts{0};
  Index seen = 0;
  for (std::size_t i = 0; wanted > 1 && i + 1 < texts.size(); ++i) {
    seen += texts[i].length;
    if (seen * wanted >= static_cast<Index>(cuts.size()) * characters) cuts.push_back(i + 1);
  }
  cuts.push_back(texts.size());
  return cuts;
}

}  // namespace

void TermCounter::add(const Analysis& analysis, std::span<const Text> texts, int threads, StopToken& stop) {
  if (texts.empty()) return;
  const auto cuts = threads > 1 ? divide(texts, threads) : std::vector<std::size_t>{0, texts.size()};
  const std::size_t before = sections_.size(), sections = cuts.size() - 1;
  sections_.resize(before + sections);
  if (sections == 1) {
    count(analysis, texts, terms_, sections_.back().rows, stop);
    return;
  }
  parallel_for(static_cast<Index>(sections), threads, stop, [&](Index k, int) {
    Section& section = sections_[before + static_cast<std::size_t>(k)];
    const std::size_t first = cuts[static_cast<std::size_t>(k)], last = cuts[static_cast<std::size_t>(k) + 1];
    count(analysis, texts.subspan(first, last - first), section.terms, section.rows, stop);
  });
  for (std::size_t k = before; k < sections_.size(); ++k) join(sections_[k], stop);
}

void TermCounter::join(Section& section, StopToken& stop) {
  if (terms_.size() == 0) {  // the first section's terms are all terms so far
    terms_ = std::exchange(section.terms, {});
    return;
  }
  section.numbers.resize(section.terms.size());
  for (std::uint32_t own = 0; own < section.terms.size(); ++own) {
    if (own % 4096 == 0 && stop.poll()) break;
    const std::string_view term = section.terms[own];
    section.numbers[own] = terms_.add(term, hash_bytes(term));
  }
  section.terms = {};
}

void TermCounter::forget_terms() {
  known_ = terms();
  terms_ = {};
  release_freed_memory();
}

Index TermCounter::rows() const {
  Index rows = 0;
  for (const Section& section : sections_) rows += static_cast<Index>(section.rows.rows());
  return rows;
}

void TermCounter::ranks(std::span<std::int64_t> out, int threads, StopToken& stop) const {
  const std::vector<std::uint32_t> order = sorted_terms(terms_, threads, stop);
  for (std::size_t rank = 0; rank < order.size(); ++rank) out[order[rank]] = static_cast<std::int64_t>(rank);
}

void TermCounter::totals(std::span<std::int64_t> rows, std::span<std::int64_t> sums, StopToken& stop) const {
  std::ranges::fill(rows, 0);
  std::ranges::fill(sums, 0);
  for (const Section& section : sections_) {
    for (std::size_t k = 0; k < section.rows.columns.size(); ++k) {
      if (k % 65536 == 0 && stop.poll()) return;
      const std::uint32_t id = number(section, section.rows.columns[k]);
      ++rows[id];
      sums[id] += section.rows.counts[k];
    }
  }
}

Index TermCounter::entries(std::span<const std::int64_t> columns, StopToken& stop) const {
  Index found = 0;
  for (const Section& section : sections_) {
    for (std::size_t k = 0; k < section.rows.columns.size(); ++k) {
      if (k % 65536 == 0 && stop.poll()) return found;
      found += columns[number(section, section.rows.columns[k])] >= 0;
    }
  }
  return found;
}

template <class Value, class Place>
void TermCounter::unload(std::span<const std::int64_t> columns, std::span<Place> starts,
                         std::span<Place> indices, std::span<Value> values, int threads, StopToken& stop) {
  using Pair = std::pair<std::int64_t, std::int32_t>;
  forget_terms();
  std::size_t first_row = 0;
  starts[0] = 0;
  for (Section& section : sections_) {
    const RowStore& rows = section.rows;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      Index kept = 0;
      for (std::size_t k = rows.begin(r); k < rows.ends[r]; ++k)
        kept += columns[number(section, rows.columns[k])] >= 0;
      starts[first_row + r + 1] = static_cast<Place>(starts[first_row + r] + kept);
    }
    parallel_ranges(
        static_cast<Index>(rows.rows()), kRowsPerBlock, threads, stop, [&](Index first, Index last, int) {
          std::vector<Pair> row;
          for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
            if (r % kPoll == 0 && stop.poll()) return;
            row.clear();
            for (std::size_t k = rows.begin(r); k < rows.ends[r]; ++k) {
              const std::int64_t column = columns[number(section, rows.columns[k])];
              if (column >= 0) row.emplace_back(column, rows.counts[k]);
            }
            std::ranges::sort(row);
            auto at = static_cast<std::size_t>(starts[first_row + r]);
            for (const auto& [column, count] : row) {
              indices[at] = static_cast<Place>(column);
              values[at++] = static_cast<Value>(count);
            }
          }
        });
    first_row += rows.rows();
    section = {};
    release_freed_memory();
  }
  sections_.clear();
}

#define CERTUS_UNLOAD(Value, Place)                                                                \
  template void TermCounter::unload<Value, Place>(std::span<const std::int64_t>, std::span<Place>, \
                                                  std::span<Place>, std::span<Value>, int, StopToken&);
CERTUS_UNLOAD(std::int32_t, std::int32_t)
CERTUS_UNLOAD(std::int64_t, std::int32_t)
CERTUS_UNLOAD(float, std::int32_t)
CERTUS_UNLOAD(double, std::int32_t)
CERTUS_UNLOAD(std::int32_t, std::int64_t)
CERTUS_UNLOAD(std::int64_t, std::int64_t)
CERTUS_UNLOAD(float, std::int64_t)
CERTUS_UNLOAD(double, std::int64_t)
#undef CERTUS_UNLOAD

}  // namespace certus::text
