// Columns of names by hashing (Weinberger et al. 2009), for streams whose names are not known beforehand.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/view2d.hpp"

namespace certus::online {

// The last `bits` bits of the name's FNV-1a hash, mixed once more.
inline Index hashed_column(std::string_view name, int bits) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93ULL;
  hash ^= hash >> 32;
  return static_cast<Index>(hash & ((1ULL << bits) - 1));
}

}  // namespace certus::online
