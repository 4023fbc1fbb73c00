#include "text/hashed_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/parallel.hpp"

namespace certus::text {
namespace {

constexpr Index kRowsPerBlock = 128;

std::uint32_t mixed(std::uint32_t k) { return std::rotl(k * 0xCC9E2D51U, 15) * 0x1B873593U; }

}  // namespace

std::int32_t murmur_hash(std::string_view bytes, std::uint32_t seed) {
  const auto byte = [&](std::size_t k) { return std::uint32_t{static_cast<unsigned char>(bytes[k])}; };
  std::uint32_t hash = seed;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    hash ^= mixed(byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24);
    hash = std::rotl(hash, 13) * 5 + 0xE6546B64U;
  }
  std::uint32_t rest = 0;
  for (std::size_t k = bytes.size(); k > at; --k) rest = rest << 8 | byte(k - 1);
  if (bytes.size() > at) hash ^= mixed(rest);
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85EBCA6BU;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35U;
  return static_cast<std::int32_t>(hash ^ hash >> 16);
}

void HashedRows::add(const Analysis& analysis, std::span<const Text> texts, int threads, StopToken& stop) {
  const std::size_t before = blocks_.size();
  blocks_.resize(before +
                 static_cast<std::size_t>(block_count(static_cast<Index>(texts.size()), kRowsPerBlock)));
  parallel_ranges(static_cast<Index>(texts.size()), kRowsPerBlock, threads, stop,
                  [&](Index first, Index last, int) {
                    RowStore& rows = blocks_[before + static_cast<std::size_t>(first / kRowsPerBlock)];
                    Analyzer analyzer(analysis);
                    std::vector<std::uint64_t> row;  // column, and whether the sign is negative
                    for (Index i = first; i < last; ++i) {
                      if (stop.poll()) return;
                      row.clear();
                      analyzer.terms(texts[static_cast<std::size_t>(i)], [&](std::string_view term) {
                        const std::int64_t hash = murmur_hash(term, 0);
                        const auto column = static_cast<std::uint64_t>(hash < 0 ? -hash : hash) % columns_;
                        row.push_back(column << 1 | (signs_ && hash < 0 ? 1U : 0U));
                      });
                      std::ranges::sort(row);
                      for (std::size_t k = 0; k < row.size();) {
                        const std::uint64_t column = row[k] >> 1;
                        std::int32_t sum = 0;
                        for (; k < row.size() && row[k] >> 1 == column; ++k) sum += (row[k] & 1) ? -1 : 1;
                        rows.columns.push_back(static_cast<std::uint32_t>(column));
                        rows.counts.push_back(sum);
                      }
                      rows.end_row();
                    }
                  });
}

Index HashedRows::rows() const {
  Index found = 0;
  for (const RowStore& block : blocks_) found += static_cast<Index>(block.rows());
  return found;
}

Index HashedRows::entries() const {
  Index found = 0;
  for (const RowStore& block : blocks_) found += static_cast<Index>(block.columns.size());
  return found;
}

template <class Value, class Place>
void HashedRows::unload(std::span<Place> starts, std::span<Place> indices, std::span<Value> values) {
  std::size_t row = 0, at = 0;
  starts[0] = 0;
  for (RowStore& block : blocks_) {
    for (const std::uint64_t end : block.ends) starts[++row] = static_cast<Place>(at + end);
    for (std::size_t k = 0; k < block.columns.size(); ++k, ++at) {
      indices[at] = static_cast<Place>(block.columns[k]);
      values[at] = static_cast<Value>(block.counts[k]);
    }
    block = {};
  }
  blocks_.clear();
}

#define CERTUS_UNLOAD(Value, Place) \
  template void HashedRows::unload<Value, Place>(std::span<Place>, std::span<Place>, std::span<Value>);
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
