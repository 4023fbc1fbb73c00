#include "svm/row_cache.hpp"

#include <algorithm>
#include <cassert>
#include <type_traits>

#include "core/parallel.hpp"
#include "svm/kernel_ops.hpp"
#include "svm/kernel_sums.hpp"

namespace certus::svm {
namespace {

constexpr Index row_block = 512;
constexpr Index score_block = 2048;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class T>
RowCache<T>::RowCache(const KernelRows<T>& source, RowStore<T>& store, double bytes, Index fewest)
    : source_(source), store_(store), slot_of_row_(at(source.size()), -1) {
  const Index size = source.size();
  const double fitting = bytes / (static_cast<double>(std::max<Index>(size, 1)) * sizeof(T));
  const Index affordable = fitting > static_cast<double>(size) ? size : static_cast<Index>(fitting);
  capacity_ = std::min(size, std::max(affordable, fewest));
  older_ = newer_ = {0};  // the head points to itself: nothing is kept
}

template <class T>
void RowCache<T>::unlink(Index slot) {
  newer_[at(older_[at(slot)])] = newer_[at(slot)];
  older_[at(newer_[at(slot)])] = older_[at(slot)];
}

template <class T>
void RowCache<T>::push_newest(Index slot) {  // list positions are slots + 1, position 0 is the head
  const Index newest = older_[0];
  older_[at(slot)] = newest;
  newer_[at(slot)] = 0;
  newer_[at(newest)] = slot;
  older_[0] = slot;
}

template <class T>
Index RowCache<T>::take_slot() {
  const Index used = static_cast<Index>(row_of_slot_.size());
  if (used < capacity_) {
    if (used == static_cast<Index>(store_.rows.size())) {
      store_.rows.push_back(std::make_unique_for_overwrite<T[]>(at(store_.length)));
    }
    row_of_slot_.push_back(-1);
    older_.push_back(0);
    newer_.push_back(0);
    return used + 1;
  }
  const Index oldest = newer_[0];
  unlink(oldest);
  slot_of_row_[at(row_of_slot_[at(oldest - 1)])] = -1;
  return oldest;
}

template <class T>
void RowCache<T>::fetch(std::span<const Index> rows, std::span<const T*> out, int threads, StopToken& stop) {
  assert(static_cast<Index>(rows.size()) <= capacity_);
  for (const Index row : rows) {  // first those that are there, so that none of them is thrown out
    const Index slot = slot_of_row_[at(row)];
    if (slot > 0) unlink(slot), push_newest(slot);
  }
  std::vector<Index> missing;
  std::vector<T*> places;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Index slot = slot_of_row_[at(rows[r])];
    if (slot <= 0) {
      slot = take_slot();
      push_newest(slot);
      row_of_slot_[at(slot - 1)] = rows[r];
      slot_of_row_[at(rows[r])] = slot;
      missing.push_back(rows[r]);
      places.push_back(store_.rows[at(slot - 1)].get());
    }
    out[r] = store_.rows[at(slot - 1)].get();
  }
  source_.fill(missing, places.data(), threads, stop);
}

template <class T>
void RowCache<T>::sums(std::span<const double> coefficients, int threads, StopToken& stop,
                       std::span<double> scores) {
  if (std::is_same_v<T, double> && source_.kernel().kind != KernelKind::given) {
    kernel_sums(source_.table(), source_.members(), source_.kernel(), coefficients, threads, stop, scores);
  } else {
    sums_of_rows(coefficients, threads, stop, scores);
  }
}

// The rows with a coefficient, in blocks that fit into the cache.
template <class T>
void RowCache<T>::sums_of_rows(std::span<const double> coefficients, int threads, StopToken& stop,
                               std::span<double> scores) {
  std::fill(scores.begin(), scores.end(), 0.0);
  std::vector<Index> rows;
  for (Index i = 0; i < source_.size(); ++i) {
    if (coefficients[at(i)] != 0.0) rows.push_back(i);
  }
  const Index most = std::min(capacity_, row_block), count = static_cast<Index>(rows.size());
  std::vector<const T*> lines(at(most));
  std::vector<double> factors(at(most));
  for (Index from = 0; from < count && !stop.poll(); from += most) {
    const Index taken = std::min(most, count - from);
    fetch(std::span(rows).subspan(at(from), at(taken)), std::span(lines).first(at(taken)), threads, stop);
    for (Index r = 0; r < taken; ++r) factors[at(r)] = coefficients[at(rows[at(from + r)])];
    parallel_ranges(source_.size(), score_block, threads, stop, [&](Index first, Index last, int) {
      kernel_ops<T>().add_rows(lines.data(), factors.data(), taken, first, scores.data() + first,
                               last - first);
    });
  }
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace certus::svm
