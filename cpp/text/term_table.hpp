// Terms (short strings of bytes) and their numbers 0, 1, 2 … in the order in which they first came: open
// addressing with linear probing; the bytes of all terms lie one after the other.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace certus::text {

// A 64-bit hash of bytes, eight at a time by multiplication and folding. Only places in tables depend on it.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  std::uint64_t x = (a ^ (a >> 32)) * (b | 1);
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9ULL;
  return x ^ (x >> 32);
#endif
}

inline std::uint64_t hash_bytes(std::string_view term) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ term.size();
  const char* at = term.data();
  std::size_t left = term.size();
  std::uint64_t word = 0;
  for (; left >= 8; left -= 8, at += 8) {
    std::memcpy(&word, at, 8);
    hash = fold(hash ^ word, 0xE7037ED1A0B428DBULL);
  }
  word = 0;
  if (left >= 4) {  // two reads that may overlap, instead of a loop over bytes
    std::uint32_t low = 0, high = 0;
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + left - 4, 4);
    word = std::uint64_t{high} << 32 | low;
  } else if (left > 0) {
    const auto byte = [&](std::size_t k) {
      return static_cast<std::uint64_t>(static_cast<unsigned char>(at[k]));
    };
    word = byte(0) | byte(left / 2) << 8 | byte(left - 1) << 16;
  }
  return fold(hash ^ word, 0xA0761D6478BD642FULL);
}

class TermTable {
 public:
  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size() - 1); }
  std::string_view operator[](std::uint32_t id) const {
    return {bytes_.data() + starts_[id], static_cast<std::size_t>(starts_[id + 1] - starts_[id])};
  }

  // The number of a term, which is new if it equals the size before.
  std::uint32_t add(std::string_view term, std::uint64_t hash) {
    if (2 * (starts_.size() + 1) > slots_.size()) grow();
    std::size_t slot = find(term, hash);
    if (slots_[slot].number == 0) {
      bytes_.insert(bytes_.end(), term.begin(), term.end());
      starts_.push_back(bytes_.size());
      slots_[slot] = {tag(hash), size()};
    }
    return slots_[slot].number - 1;
  }

  bool contains(std::string_view term) const {
    return !slots_.empty() && slots_[find(term, hash_bytes(term))].number != 0;
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;     // upper half of the hash
    std::uint32_t number = 0;  // the term's number and one; 0 if free
  };

  static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  // Where the term is, or the free slot where it belongs.
  std::size_t find(std::string_view term, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      const Slot& found = slots_[slot];
      if (found.number == 0 || (found.tag == tag(hash) && (*this)[found.number - 1] == term)) return slot;
    }
  }

  void grow() {
    std::vector<Slot> larger(slots_.empty() ? 1024 : 4 * slots_.size());
    const std::size_t mask = larger.size() - 1;
    for (std::uint32_t id = 0; id < size(); ++id) {
      const std::uint64_t hash = hash_bytes((*this)[id]);
      std::size_t slot = hash & mask;
      while (larger[slot].number != 0) slot = (slot + 1) & mask;
      larger[slot] = {tag(hash), id + 1};
    }
    slots_.swap(larger);
  }

  std::vector<char> bytes_;
  std::vector<std::uint64_t> starts_{0};
  std::vector<Slot> slots_;
};

}  // namespace certus::text
