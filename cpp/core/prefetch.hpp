// A hint that a line of memory will be read soon.
#pragma once

namespace certus {

inline void prefetch_line([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
  __builtin_prefetch(at);
#endif
}

}  // namespace certus
