// The stop token: how a long kernel learns that it should end early.
//
// Worker threads read one atomic flag. The thread that called the kernel also asks the outside world (from
// Python: "was Ctrl-C pressed?") at most every 20 ms. Kernels poll in every loop that may last over 50 ms.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace certus {

class StopToken {
 public:
  using Ask = bool (*)(void* context);

  StopToken() = default;
  StopToken(Ask ask, void* context) : ask_(ask), context_(context) {}
  StopToken(const StopToken&) = delete;
  StopToken& operator=(const StopToken&) = delete;

  void request() noexcept { flag_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return flag_.load(std::memory_order_relaxed); }

  // True when the work should stop. Cheap enough for a loop body of a microsecond.
  bool poll() noexcept {
    if (requested()) return true;
    if (ask_ == nullptr || std::this_thread::get_id() != owner_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_asked_ < std::chrono::milliseconds(20)) return false;
    last_asked_ = now;
    if (ask_(context_)) request();
    return requested();
  }

 private:
  std::atomic<bool> flag_{false};
  Ask ask_ = nullptr;
  void* context_ = nullptr;
  std::thread::id owner_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
};

}  // namespace certus
