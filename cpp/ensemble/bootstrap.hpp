// Drawing rows with replacement, for bagging (Breiman 1996). A bag is named by its seed alone, so that it can
// be drawn again later instead of being stored.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::ensemble {

// A row is drawn with probability proportional to its weight. `cumulative` holds the running sums of the
// weights, or is empty when all are 1. Whole weights are drawn with whole numbers, so that a row of weight 2
// and the same row twice in a row give the same bags.
struct BagRule {
  Index rows = 0;
  Index draws = 0;
  std::span<const double> cumulative;
  bool whole = true;
};

// The drawn rows, in the order of the draws.
void draw_rows(const BagRule& rule, std::uint64_t seed, std::span<std::int32_t> drawn);

// How often each row is drawn.
void draw_counts(const BagRule& rule, std::uint64_t seed, std::span<std::uint32_t> counts);

// Bit i of the `words` words of bag t: whether row i is drawn with seeds[t].
void mark_bags(const BagRule& rule, std::span<const std::uint64_t> seeds, std::span<std::uint64_t> in_bag,
               Index words, int threads, StopToken& stop);

}  // namespace certus::ensemble
