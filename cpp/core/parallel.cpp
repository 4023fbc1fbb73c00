#include "core/parallel.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace certus {
namespace {

thread_local bool inside_block = false;

// One parallel_for call. Shared with the workers so that a late waker never touches a dead frame.
struct Job {
  Job(Index blocks_, StopToken& stop_, const FunctionRef<void(Index, int)>& body_)
      : blocks(blocks_), stop(&stop_), body(&body_) {}

  Index blocks;
  StopToken* stop;
  const FunctionRef<void(Index, int)>* body;
  std::atomic<Index> next{0};
  std::atomic<int> next_worker{1};  // the caller is worker 0
  int seats = 0;                    // how many pool threads may still join
  int running = 0;                  // pool threads inside the job (guarded by the pool's mutex)
  std::mutex error_mutex;
  std::exception_ptr error;
  Index error_block = std::numeric_limits<Index>::max();

  void work(int worker) noexcept {
    inside_block = true;
    while (!stop->poll()) {
      const Index block = next.fetch_add(1, std::memory_order_relaxed);
      if (block >= blocks) break;
      try {
        (*body)(block, worker);
      } catch (...) {
        const std::scoped_lock lock(error_mutex);
        if (block < error_block) {
          error_block = block;
          error = std::current_exception();
        }
        next.store(blocks, std::memory_order_relaxed);
      }
    }
    inside_block = false;
  }
};

class Pool {
 public:
  // Returns false when the pool is taken; the caller then works alone.
  bool run(Job& job, int threads) {
    const std::unique_lock owner(in_use_, std::try_to_lock);
    if (!owner.owns_lock()) return false;
    {
      const std::scoped_lock lock(mutex_);
      while (static_cast<int>(workers_.size()) < threads - 1) workers_.emplace_back([this] { serve(); }).detach();
      job.seats = threads - 1;
      job_ = &job;
    }
    wake_.notify_all();
    job.work(0);
    std::unique_lock lock(mutex_);
    job_ = nullptr;  // nobody joins any more
    while (job.running > 0) {
      done_.wait_for(lock, std::chrono::milliseconds(20));
      job.stop->poll();  // Ctrl-C is heard although the caller has no block left
    }
    return true;
  }

  int size() noexcept {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(workers_.size());
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return job_ != nullptr && job_->seats > 0; });
      Job& job = *job_;
      --job.seats;
      ++job.running;
      lock.unlock();
      job.work(job.next_worker.fetch_add(1, std::memory_order_relaxed));
      lock.lock();
      if (--job.running == 0) done_.notify_all();
    }
  }

  std::mutex in_use_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Job* job_ = nullptr;
  std::vector<std::thread> workers_;
};

// Held by a plain pointer that is never freed: workers outlive static destruction, and after a fork the child
// abandons its copy (its threads do not exist there and its mutexes may be locked for ever).
std::atomic<Pool*> pool{nullptr};
std::mutex pool_birth;

Pool& the_pool() {
  if (Pool* existing = pool.load(std::memory_order_acquire)) return *existing;
  const std::scoped_lock lock(pool_birth);
  if (Pool* existing = pool.load(std::memory_order_acquire)) return *existing;
#if !defined(_WIN32)
  static const bool registered = [] {
    pthread_atfork([] { pool_birth.lock(); }, [] { pool_birth.unlock(); },
                   [] {
                     pool_birth.unlock();
                     pool.store(nullptr, std::memory_order_release);
                     inside_block = false;
                   });
    return true;
  }();
  (void)registered;
#endif
  Pool* fresh = new Pool;
  pool.store(fresh, std::memory_order_release);
  return *fresh;
}

}  // namespace

void parallel_for(Index blocks, int threads, StopToken& stop, FunctionRef<void(Index, int)> body) {
  if (blocks <= 0) return;
  Job job(blocks, stop, body);
  if (threads > blocks) threads = static_cast<int>(blocks);
  if (threads <= 1 || inside_block || !the_pool().run(job, threads)) {
    const bool nested = inside_block;
    job.work(0);
    inside_block = nested;
  }
  if (job.error) std::rethrow_exception(job.error);
}

int pool_size() noexcept {
  Pool* existing = pool.load(std::memory_order_acquire);
  return existing ? existing->size() : 0;
}

}  // namespace certus
