// The hashing trick: term t is column |h(t)| mod n, counted with the sign of h(t), for MurmurHash3's 32-bit
// hash of its UTF-8 bytes. Appleby (2011); Weinberger et al. (2009).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "text/analyzer.hpp"
#include "text/row_store.hpp"

namespace certus::text {

std::int32_t murmur_hash(std::string_view bytes, std::uint32_t seed);

class HashedRows {
 public:
  HashedRows(std::uint32_t columns, bool signs) : columns_(columns), signs_(signs) {
    if (columns == 0) throw std::invalid_argument("there must be a column");
  }

  // Counts further texts, in blocks of rows.
  void add(const Analysis& analysis, std::span<const Text> texts, int threads, StopToken& stop);

  Index rows() const;
  Index entries() const;
  // The table as sorted rows; sums of terms that cancel stay as zeros.
  template <class Value, class Place>
  void unload(std::span<Place> starts, std::span<Place> indices, std::span<Value> values);

 private:
  std::uint32_t columns_;
  bool signs_;
  std::vector<RowStore> blocks_;
};

}  // namespace certus::text
