#include "ensemble/bootstrap.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/rng.hpp"

namespace certus::ensemble {
namespace {

constexpr std::uint64_t bag_stream = 0x6261670000000000ULL;  // apart from the streams of the tree's own draws

template <class Take>
void draw(const BagRule& rule, std::uint64_t seed, Take&& take) {
  Rng rng(seed, bag_stream);
  if (rule.cumulative.empty()) {
    for (Index i = 0; i < rule.draws; ++i) take(static_cast<Index>(rng.below(rule.rows)));
    return;
  }
  const double total = rule.cumulative.back();
  for (Index i = 0; i < rule.draws; ++i) {
    const double place = rule.whole ? static_cast<double>(rng.below(static_cast<std::uint64_t>(total)))
                                    : rng.uniform() * total;
    const auto found = std::upper_bound(rule.cumulative.begin(), rule.cumulative.end(), place);
    take(std::min<Index>(found - rule.cumulative.begin(), rule.rows - 1));
  }
}

}  // namespace

void draw_rows(const BagRule& rule, std::uint64_t seed, std::span<std::int32_t> drawn) {
  std::size_t place = 0;
  draw(rule, seed, [&](Index row) { drawn[place++] = static_cast<std::int32_t>(row); });
}

void draw_counts(const BagRule& rule, std::uint64_t seed, std::span<std::uint32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0u);
  draw(rule, seed, [&](Index row) { ++counts[row]; });
}

void mark_bags(const BagRule& rule, std::span<const std::uint64_t> seeds, std::span<std::uint64_t> in_bag,
               Index words, int threads, StopToken& stop) {
  parallel_for(static_cast<Index>(seeds.size()), threads, stop, [&](Index bag, int) {
    std::uint64_t* bits = in_bag.data() + bag * words;
    std::fill_n(bits, words, std::uint64_t{0});
    draw(rule, seeds[bag], [&](Index row) { bits[row / 64] |= std::uint64_t{1} << (row % 64); });
  });
}

}  // namespace certus::ensemble
