#include "core/parallel.hpp"

#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#endif

namespace certus {
namespace {

thread_local bool inside_block = false;

// One parallel_for call. It lives in the caller's frame: pool threads join and leave it under the pool's
// mutex, and the caller returns only when nobody can join any more and all who joined have left.
struct Job {
  Job(Index blocks_, StopToken& stop_, const FunctionRef<void(Index, int)>& body_)
      : blocks(blocks_), stop(stop_), body(body_) {}

  const Index blocks;
  StopToken& stop;
  const FunctionRef<void(Index, int)>& body;
  std::atomic<Index> next{0};
  std::fenv_t rounding{};  // the caller's floating-point environment, so that every block rounds alike
  int joined = 0;  // pool threads that took part; the caller is worker 0 (guarded by the pool's mutex)
  int seats = 0;   // pool threads that may still join (guarded)
  std::atomic<int> running{0};  // pool threads inside (changed under the mutex)
  std::mutex error_mutex;
  std::exception_ptr error;
  Index error_block = std::numeric_limits<Index>::max();

  void work(int worker) noexcept {
    const bool nested = inside_block;
    inside_block = true;
    while (!stop.poll()) {
      const Index block = next.fetch_add(1, std::memory_order_relaxed);
      if (block >= blocks) break;
      try {
        body(block, worker);
      } catch (...) {
        keep_error(block);
      }
    }
    inside_block = nested;
  }

 private:
  // Blocks are handed out in order, so every block below this one has begun and will have its say: which
  // exception survives does not depend on the threads.
  void keep_error(Index block) noexcept {
    const std::scoped_lock lock(error_mutex);
    if (block < error_block) {
      error_block = block;
      error = std::current_exception();
    }
    next.store(blocks, std::memory_order_relaxed);
  }
};

// While it lives, this thread and those it creates receive no signal that is meant for the process: Ctrl-C
// and timers belong to the threads of the host program. Faults of the thread itself stay deliverable.
class SignalsBlocked {
 public:
#if defined(_WIN32)
  SignalsBlocked() noexcept {}
#else
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
#endif
};

// Waits a moment for something that is about to happen: waking a sleeping thread takes tens of microseconds,
// longer than many a block. Gives up soon, so that an idle pool costs nothing.
template <class Happened>
void spin_until(Happened happened) noexcept {
  constexpr auto patience = std::chrono::microseconds(50);
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (happened()) return;
#if defined(CERTUS_X86_64) && defined(__GNUC__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() - start < patience);
}

class Pool {
 public:
  // Returns false when another thread has the pool; the caller then works alone.
  bool run(Job& job, int threads) noexcept {
    if (taken_.test_and_set(std::memory_order_acquire)) return false;
    post(job, threads - 1);
    job.work(0);
    await(job);
    taken_.clear(std::memory_order_release);
    return true;
  }

  int size() noexcept {
    const std::scoped_lock lock(mutex_);
    return size_;
  }

 private:
  void post(Job& job, int helpers) noexcept {
    std::fegetenv(&job.rounding);
    {
      const std::scoped_lock lock(mutex_);
      grow(helpers);
      job.seats = helpers;
      job_ = &job;
      open_.store(true, std::memory_order_relaxed);
    }
    wake_.notify_all();
  }

  // A machine that grants fewer threads than wanted gives the same results, only later.
  void grow(int helpers) noexcept {
    if (size_ >= helpers) return;
    const SignalsBlocked blocked;
    try {
      for (; size_ < helpers; ++size_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
    }
  }

  void await(Job& job) noexcept {
    std::unique_lock lock(mutex_);
    job_ = nullptr;  // nobody joins any more
    open_.store(false, std::memory_order_relaxed);
    if (job.running == 0) return;
    lock.unlock();
    spin_until([&] { return job.running.load(std::memory_order_relaxed) == 0; });
    lock.lock();
    while (!done_.wait_for(lock, std::chrono::milliseconds(20), [&] { return job.running == 0; })) {
      lock.unlock();  // the question may wait for Python's lock, whose holder may wait for ours
      job.stop.poll();
      lock.lock();
    }
  }

  void serve() noexcept {
    for (;;) {
      spin_until([this] { return open_.load(std::memory_order_relaxed); });
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return job_ != nullptr && job_->seats > 0; });
      Job& job = *job_;
      if (--job.seats == 0) open_.store(false, std::memory_order_relaxed);
      ++job.running;
      const int worker = ++job.joined;
      lock.unlock();
      std::fesetenv(&job.rounding);
      job.work(worker);
      lock.lock();
      if (--job.running == 0) done_.notify_all();
    }
  }

  std::atomic_flag taken_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Job* job_ = nullptr;
  std::atomic<bool> open_{false};  // whether a job may still be joined: a hint for those who spin
  int size_ = 0;
};

// Never freed: the detached workers outlive static destruction. After a fork the child drops its copy (whose
// threads do not exist there and whose mutex may be locked for ever) and makes a new pool when it needs one.
std::atomic<Pool*> pool{nullptr};

#if !defined(_WIN32)
void forget_pool_in_child() {
  pool.store(nullptr, std::memory_order_relaxed);
  inside_block = false;
}
[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, &forget_pool_in_child);
#endif

Pool& the_pool() {
  Pool* existing = pool.load(std::memory_order_acquire);
  if (existing != nullptr) return *existing;
  Pool* fresh = new Pool;
  if (pool.compare_exchange_strong(existing, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;  // another thread was first
  return *existing;
}

}  // namespace

void parallel_for(Index blocks, int threads, StopToken& stop, FunctionRef<void(Index, int)> body) {
  if (blocks <= 0) return;
  if (threads > blocks) threads = static_cast<int>(blocks);
  Job job(blocks, stop, body);
  if (threads <= 1 || inside_block || !the_pool().run(job, threads)) job.work(0);
  if (job.error) std::rethrow_exception(job.error);
}

int pool_size() noexcept {
  Pool* existing = pool.load(std::memory_order_acquire);
  return existing ? existing->size() : 0;
}

}  // namespace certus
