// Gives memory that was freed back to the system. Allocators keep it for the next use, which is right unless
// much was freed that will not be needed again.
#pragma once

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace certus {

inline void release_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace certus
