// Deterministic parallelism: the work is cut into blocks by the problem's size alone, never by the number of
// threads; whoever is free takes the next block; results are combined in block order. So 1 and 64 threads
// give equal bits.
//
// One lazily created pool of std::thread serves the whole process. A forked child starts with an empty pool.
// A call from inside a block, or while another thread uses the pool, runs serially (as worker 0): never a
// deadlock. Pool threads take no signals and use the caller's floating-point environment.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus {

// A non-owning reference to a callable; unlike std::function it never allocates.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
  FunctionRef(F&& f)  // NOLINT: implicit on purpose
      : object_(const_cast<void*>(static_cast<const void*>(&f))), call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Runs body(block, worker) for block = 0 .. blocks-1, each exactly once, on at most `threads` threads; worker
// is in 0 .. threads-1 and names scratch space. Blocks not yet begun are skipped once `stop` is set. The
// first exception (lowest block) thrown by a body is rethrown here.
void parallel_for(Index blocks, int threads, StopToken& stop,
                  FunctionRef<void(Index block, int worker)> body);

// How many worker threads the pool holds now; for tests.
int pool_size() noexcept;

inline Index block_count(Index items, Index block_size) {
  assert(items >= 0 && block_size > 0);
  return items / block_size + (items % block_size != 0);
}

// parallel_for over items in fixed ranges: body(first, last, worker).
template <class Body>
void parallel_ranges(Index items, Index block_size, int threads, StopToken& stop, Body&& body) {
  parallel_for(block_count(items, block_size), threads, stop, [&](Index block, int worker) {
    const Index first = block * block_size;
    body(first, std::min(items, first + block_size), worker);
  });
}

// Sum (or any combination) of per-block results, folded left to right in block order. Blocks that a stop
// skipped are left out.
template <class Value, class Map, class Fold>
Value ordered_reduce(Index blocks, int threads, StopToken& stop, Value initial, Map&& map, Fold&& fold) {
  std::vector<std::optional<Value>> parts(static_cast<std::size_t>(std::max<Index>(blocks, 0)));
  parallel_for(blocks, threads, stop,
               [&](Index block, int) { parts[static_cast<std::size_t>(block)].emplace(map(block)); });
  for (auto& part : parts) {
    if (part) initial = fold(std::move(initial), std::move(*part));
  }
  return initial;
}

}  // namespace certus
