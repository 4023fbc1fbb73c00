#include "core/parallel.hpp"

#include <atomic>
#include <cfenv>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "core/rng.hpp"
#include "tests/check.hpp"

#if defined(__SANITIZE_THREAD__)
#define CERTUS_UNDER_THREAD_SANITIZER  // which does not follow a program into threads after a fork
#endif

namespace certus {
namespace {

void busy(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// A sum whose bits depend on the order of the additions.
double rough_sum(int threads) {
  StopToken stop;
  return ordered_reduce(
      100, threads, stop, 0.0,
      [](Index block) {
        Rng rng(9, static_cast<std::uint64_t>(block));
        double sum = 0;
        for (int i = 0; i < 500; ++i) sum += rng.normal() * std::exp(5.0 * rng.normal());
        return sum;
      },
      [](double a, double b) { return a + b; });
}

}  // namespace

TEST(each_block_runs_once) {
  StopToken stop;
  for (const int threads : {-1, 0, 1, 2, 3, 8}) {
    for (const Index blocks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(blocks));
      parallel_for(blocks, threads, stop,
                   [&](Index block, int) { ++visits[static_cast<std::size_t>(block)]; });
      for (const auto& count : visits) CHECK_EQUAL(count.load(), 1);
    }
  }
}

TEST(worker_names_are_below_the_thread_count_and_not_shared) {
  StopToken stop;
  parallel_for(8, 8, stop, [](Index, int) {});  // more threads exist than the calls below may use
  for (const int threads : {1, 2, 5, 3}) {
    std::vector<std::atomic<int>> inside(static_cast<std::size_t>(threads));
    for (int round = 0; round < 20; ++round) {
      parallel_for(20, threads, stop, [&](Index, int worker) {
        CHECK(worker >= 0 && worker < threads);
        CHECK_EQUAL(inside[static_cast<std::size_t>(worker)].fetch_add(1), 0);
        std::this_thread::sleep_for(std::chrono::microseconds(100));  // time for every thread to join
        --inside[static_cast<std::size_t>(worker)];
      });
    }
  }
}

TEST(several_threads_take_part) {
  StopToken stop;
  std::atomic<int> present{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  // Both blocks wait for each other, so that one thread alone would not come to an end before the deadline.
  parallel_for(2, 2, stop, [&](Index, int) {
    ++present;
    while (present < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  CHECK(std::chrono::steady_clock::now() < deadline);
  CHECK(pool_size() >= 1);
}

TEST(results_do_not_depend_on_threads) {
  const double one = rough_sum(1);
  for (const int threads : {2, 3, 8}) {
    for (int round = 0; round < 20; ++round) CHECK_EQUAL(rough_sum(threads), one);
  }
}

TEST(reduce_of_bools_and_of_nothing) {
  StopToken stop;
  const auto both = [](bool a, bool b) { return a && b; };
  CHECK(!ordered_reduce(500, 4, stop, true, [](Index block) { return block != 77; }, both));
  CHECK(ordered_reduce(500, 4, stop, true, [](Index) { return true; }, both));
  CHECK_EQUAL(ordered_reduce(0, 4, stop, 5, [](Index) { return 1; }, [](int a, int b) { return a + b; }), 5);
}

TEST(reduce_folds_in_order) {
  StopToken stop;
  const std::string letters = ordered_reduce(
      26, 3, stop, std::string(), [](Index block) { return std::string(1, static_cast<char>('a' + block)); },
      [](std::string all, std::string one) { return all + one; });
  CHECK_EQUAL(letters, std::string("abcdefghijklmnopqrstuvwxyz"));
}

TEST(ranges_cover_all_items) {
  StopToken stop;
  for (const Index items : {0, 1, 99, 100, 101}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(items));
    parallel_ranges(items, 10, 2, stop, [&](Index first, Index last, int) {
      CHECK(first < last && last - first <= 10);
      for (Index i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (const auto& count : visits) CHECK_EQUAL(count.load(), 1);
  }
}

TEST(the_lowest_exception_comes_out) {
  StopToken stop;
  for (const Index last_to_throw : {30, 31}) {
    std::atomic<int> begun{0}, thrown{0};
    const auto body = [&](Index block, int) {
      if (block < 30) return;
      ++begun;
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while ((begun < 2 || (block == last_to_throw && thrown == 0)) &&
             std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
      }
      if (block == last_to_throw) busy(std::chrono::milliseconds(2));  // the other exception has arrived
      ++thrown;
      throw std::runtime_error("block " + std::to_string(block) + " fails");
    };
    CHECK_THROWS(parallel_for(64, 2, stop, body), std::runtime_error, "block 30 fails");
    CHECK_EQUAL(begun.load(), 2);  // later blocks are not begun
  }
}

TEST(the_pool_is_in_order_after_an_exception) {
  StopToken stop;
  for (const int threads : {1, 2, 4}) {
    const auto body = [](Index block, int) {
      if (block % 7 == 6) throw std::runtime_error("block " + std::to_string(block) + " fails");
    };
    for (int round = 0; round < 50; ++round) {
      CHECK_THROWS(parallel_for(64, threads, stop, body), std::runtime_error, "block 6 fails");
    }
    std::atomic<int> after{0};
    parallel_for(8, threads, stop, [&](Index, int) { ++after; });
    CHECK_EQUAL(after.load(), 8);
  }
}

TEST(calls_inside_a_block_run_serially) {
  StopToken stop;
  for (const int threads : {1, 2}) {
    std::atomic<int> inner{0};
    parallel_for(4, threads, stop, [&](Index, int) {
      const auto here = std::this_thread::get_id();
      const auto alone = [&](Index, int worker) {
        CHECK(std::this_thread::get_id() == here);
        CHECK_EQUAL(worker, 0);
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        ++inner;
      };
      parallel_for(5, 2, stop, alone);
      parallel_for(5, 2, stop, [&](Index block, int worker) {
        alone(block, worker);
        parallel_for(2, 2, stop, alone);
      });
    });
    CHECK_EQUAL(inner.load(), 4 * (5 + 5 + 10));
  }
}

TEST(an_exception_leaves_a_nested_call) {
  StopToken stop;
  const auto outer = [&](Index, int) {
    parallel_for(2, 2, stop, [](Index, int) { throw std::runtime_error("from within"); });
  };
  CHECK_THROWS(parallel_for(3, 2, stop, outer), std::runtime_error, "from within");
  CHECK_THROWS(parallel_for(3, 1, stop, outer), std::runtime_error, "from within");
}

TEST(many_callers_at_once) {
  std::vector<std::thread> callers;
  std::atomic<Index> total{0};
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      StopToken stop;
      for (int round = 0; round < 200; ++round) {
        parallel_for(17, 3, stop, [&](Index block, int worker) {
          CHECK(worker < 3);
          total += block;
        });
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK_EQUAL(total.load(), Index{6 * 200 * 136});
}

TEST(a_request_skips_the_blocks_that_have_not_begun) {
  for (const int threads : {1, 2}) {
    StopToken stop;
    std::atomic<int> ran{0};
    parallel_for(100000, threads, stop, [&](Index block, int) {
      ++ran;
      if (block == 10) stop.request();
    });
    CHECK(stop.requested());
    CHECK(ran >= 11 && ran < 100000);
    ran = 0;
    parallel_for(10, threads, stop, [&](Index, int) { ++ran; });
    CHECK_EQUAL(ran.load(), 0);
    CHECK_EQUAL(
        ordered_reduce(10, threads, stop, 3, [](Index) { return 1; }, [](int a, int b) { return a + b; }), 3);
  }
}

TEST(the_outside_is_asked_only_by_the_owner) {
  struct Context {
    std::thread::id owner = std::this_thread::get_id();
    std::atomic<int> asked{0};
  } context;
  const auto ask = [](void* pointer) {
    auto& seen = *static_cast<Context*>(pointer);
    CHECK(std::this_thread::get_id() == seen.owner);
    return ++seen.asked >= 3;
  };
  StopToken stop(ask, &context);
  const auto start = std::chrono::steady_clock::now();
  parallel_for(2, 2, stop, [&](Index, int) {
    while (!stop.poll() && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    }
  });
  const auto time = std::chrono::steady_clock::now() - start;
  CHECK_EQUAL(context.asked.load(), 3);
  CHECK(time >= std::chrono::milliseconds(60) && time < std::chrono::seconds(10));
}

TEST(the_outside_is_heard_while_the_caller_waits_for_others) {
  const auto ask = [](void*) { return true; };
  StopToken stop(ask, nullptr);
  const auto owner = std::this_thread::get_id();
  const auto start = std::chrono::steady_clock::now();
  std::atomic<bool> joined{false};
  parallel_for(2, 2, stop, [&](Index, int) {
    if (std::this_thread::get_id() == owner) {
      // The owner leaves as soon as the other thread has begun, without having asked anybody.
      while (!joined && std::chrono::steady_clock::now() - start < std::chrono::milliseconds(15)) {
      }
      return;
    }
    joined = true;
    while (!stop.requested() && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    }
  });
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST(the_question_may_wait_for_a_lock_whose_holder_asks_for_the_pool) {
  struct Context {
    std::mutex python;  // plays the interpreter's lock
    std::atomic<bool> asking{false}, in_time{true};
  } context;
  const auto ask = [](void* pointer) {
    auto& shared = *static_cast<Context*>(pointer);
    shared.asking = true;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::unique_lock held(shared.python, std::try_to_lock);
    while (!held.owns_lock() && std::chrono::steady_clock::now() < deadline) held.try_lock();
    shared.in_time = held.owns_lock();
    return true;
  };
  std::atomic<bool> holding{false};
  std::thread holder([&] {
    const std::scoped_lock held(context.python);
    holding = true;
    while (!context.asking) std::this_thread::yield();
    pool_size();
  });
  while (!holding) std::this_thread::yield();
  StopToken stop(ask, &context);
  std::atomic<bool> joined{false};
  const auto owner = std::this_thread::get_id();
  parallel_for(2, 2, stop, [&](Index, int) {
    if (std::this_thread::get_id() != owner) joined = true;
    // The owner goes as soon as it is not alone and asks while it waits for the other.
    while (!stop.requested() && !(joined && std::this_thread::get_id() == owner)) std::this_thread::yield();
  });
  holder.join();
  CHECK(context.in_time);
}

TEST(workers_round_as_the_caller_does) {
  StopToken stop;
  parallel_for(2, 2, stop,
               [](Index, int) { busy(std::chrono::microseconds(100)); });  // the threads exist now
  std::fesetround(FE_UPWARD);
  parallel_for(50, 2, stop, [](Index, int) {
    busy(std::chrono::microseconds(20));
    CHECK_EQUAL(std::fegetround(), FE_UPWARD);
  });
  std::fesetround(FE_TONEAREST);
  parallel_for(50, 2, stop, [](Index, int) { CHECK_EQUAL(std::fegetround(), FE_TONEAREST); });
}

#if !defined(_WIN32)
TEST(workers_take_no_signals) {
  StopToken stop;
  const auto owner = std::this_thread::get_id();
  parallel_for(50, 2, stop, [&](Index, int) {
    busy(std::chrono::microseconds(20));
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    const bool is_owner = std::this_thread::get_id() == owner;
    CHECK_EQUAL(sigismember(&mask, SIGINT) == 1, !is_owner);
    CHECK_EQUAL(sigismember(&mask, SIGSEGV), 0);
  });
}
#endif

#if !defined(_WIN32) && !defined(CERTUS_UNDER_THREAD_SANITIZER)
TEST(a_forked_child_has_its_own_pool) {
  const double here = rough_sum(2);
  CHECK(pool_size() > 0);
  const pid_t child = fork();
  if (child == 0) _exit(pool_size() == 0 && rough_sum(2) == here && pool_size() == 1 ? 0 : 1);
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_EQUAL(rough_sum(2), here);
}

TEST(fork_while_the_pool_works) {
  std::atomic<bool> finished{false};
  std::thread other([&] {
    while (!finished) rough_sum(2);
  });
  const double expected = rough_sum(1);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) _exit(rough_sum(2) == expected ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  finished = true;
  other.join();
}
#endif

}  // namespace certus
