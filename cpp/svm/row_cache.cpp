#include "svm/row_cache.hpp"

#include <algorithm>

namespace certus::svm {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class T>
RowCache<T>::RowCache(const KernelRows<T>& source, double bytes, Index fewest)
    : source_(source), slot_of_row_(at(source.size()), -1) {
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
  const Index used = static_cast<Index>(slots_.size());
  if (used < capacity_) {
    slots_.push_back(std::make_unique_for_overwrite<T[]>(at(source_.size())));
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
      places.push_back(slots_[at(slot - 1)].get());
    }
    out[r] = slots_[at(slot - 1)].get();
  }
  source_.fill(missing, places.data(), threads, stop);
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace certus::svm
