// States by priority, the largest first; a state's priority can be changed at any time. Ties: the lower
// state.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace certus::reinforce {

class StateHeap {
 public:
  explicit StateHeap(std::size_t states) : priority_(states, 0.0), place_(states, absent) {}

  bool empty() const { return heap_.empty(); }
  double highest() const { return priority_[heap_.front()]; }

  void set(std::size_t state, double priority) {
    if (place_[state] == absent) {
      place_[state] = heap_.size();
      heap_.push_back(state);
      priority_[state] = priority;
      rise(place_[state]);
      return;
    }
    priority_[state] = priority;
    rise(place_[state]);
    sink(place_[state]);
  }

  std::size_t pop() {
    const std::size_t top = heap_.front();
    swap(0, heap_.size() - 1);
    heap_.pop_back();
    place_[top] = absent;
    if (!heap_.empty()) sink(0);
    return top;
  }

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  bool before(std::size_t one, std::size_t other) const {
    return priority_[one] > priority_[other] || (priority_[one] == priority_[other] && one < other);
  }
  void swap(std::size_t i, std::size_t j) {
    std::swap(heap_[i], heap_[j]);
    place_[heap_[i]] = i;
    place_[heap_[j]] = j;
  }
  void rise(std::size_t i) {
    for (; i > 0 && before(heap_[i], heap_[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
  }
  void sink(std::size_t i) {
    for (;;) {
      std::size_t next = i;
      for (std::size_t child = 2 * i + 1; child <= 2 * i + 2 && child < heap_.size(); ++child) {
        if (before(heap_[child], heap_[next])) next = child;
      }
      if (next == i) return;
      swap(i, next);
      i = next;
    }
  }

  std::vector<double> priority_;
  std::vector<std::size_t> heap_;
  std::vector<std::size_t> place_;
};

}  // namespace certus::reinforce
