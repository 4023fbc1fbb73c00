#include "text/term_order.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/parallel.hpp"

namespace certus::text {
namespace {

struct Key {
  std::uint64_t bytes;  // eight of them, the first one most significant; zeros behind the end
  std::uint32_t id;
  std::uint32_t left;  // how many of the eight there are
};

Key key(const TermTable& terms, std::uint32_t id, std::size_t depth) {
  const std::string_view term = terms[id];
  const std::size_t left = std::min<std::size_t>(term.size() - std::min(term.size(), depth), 8);
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < left; ++k)
    bytes |= std::uint64_t{static_cast<unsigned char>(term[depth + k])} << (56 - 8 * k);
  return {bytes, id, static_cast<std::uint32_t>(left)};
}

// A term that ends is smaller than one that goes on with zero bytes.
bool before(const Key& a, const Key& b) { return a.bytes != b.bytes ? a.bytes < b.bytes : a.left < b.left; }

void sort(const TermTable& terms, std::span<Key> keys, std::size_t depth, StopToken& stop) {
  if (stop.poll()) return;
  std::ranges::sort(keys, before);
  for (std::size_t first = 0; first < keys.size();) {
    std::size_t last = first + 1;
    while (last < keys.size() && !before(keys[first], keys[last])) ++last;
    if (last - first > 1 && keys[first].left == 8) {
      const auto equal = keys.subspan(first, last - first);
      for (Key& each : equal) each = key(terms, each.id, depth + 8);
      sort(terms, equal, depth + 8, stop);
    }
    first = last;
  }
}

std::size_t bucket_of(const TermTable& terms, std::uint32_t id) {
  const std::string_view term = terms[id];
  const auto byte = [&](std::size_t k) -> std::size_t {
    return k < term.size() ? std::size_t{static_cast<unsigned char>(term[k])} + 1 : 0;
  };
  return 257 * byte(0) + byte(1);
}

}  // namespace

std::vector<std::uint32_t> sorted_terms(const TermTable& terms, int threads, StopToken& stop) {
  std::vector<std::size_t> ends(257 * 257 + 1, 0);
  std::vector<Key> keys(terms.size());
  for (std::uint32_t id = 0; id < terms.size(); ++id) ++ends[bucket_of(terms, id) + 1];
  for (std::size_t k = 1; k < ends.size(); ++k) ends[k] += ends[k - 1];
  std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
  for (std::uint32_t id = 0; id < terms.size(); ++id) keys[next[bucket_of(terms, id)]++] = key(terms, id, 0);
  parallel_for(257 * 257, threads, stop, [&](Index bucket, int) {
    const std::size_t first = ends[static_cast<std::size_t>(bucket)];
    const std::size_t last = ends[static_cast<std::size_t>(bucket) + 1];
    if (last - first > 1) sort(terms, std::span(keys).subspan(first, last - first), 0, stop);
  });
  std::vector<std::uint32_t> order(terms.size());
  std::ranges::transform(keys, order.begin(), [](const Key& each) { return each.id; });
  return order;
}

}  // namespace certus::text
