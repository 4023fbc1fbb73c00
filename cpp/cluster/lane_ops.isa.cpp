#include "cluster/lane_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

using cluster::lanes;

// The sixteen lanes as a few vectors of the registers' width, in the vector types of gcc and clang.
#if defined(__AVX512F__)
constexpr std::ptrdiff_t register_bytes = 64;
#elif defined(__AVX__)
constexpr std::ptrdiff_t register_bytes = 32;
#else
constexpr std::ptrdiff_t register_bytes = 16;
#endif

template <class T>
struct Lane;
template <>
struct Lane<float> {
  typedef float Values __attribute__((vector_size(register_bytes)));
  typedef std::int32_t Whole __attribute__((vector_size(register_bytes)));
  using Int = std::int32_t;
};
template <>
struct Lane<double> {
  typedef double Values __attribute__((vector_size(register_bytes)));
  typedef std::int64_t Whole __attribute__((vector_size(register_bytes)));
  using Int = std::int64_t;
};

// Squared distances between the rows of one vector of lanes and `count` successive centers, at most eight.
// The sums are single variables: an array of them would live in memory instead of registers.
template <class T, int count>
inline void distances(const T* rows, std::ptrdiff_t columns, const T* centers,
                      typename Lane<T>::Values* out) {
  using Values = typename Lane<T>::Values;
  Values s0{}, s1{}, s2{}, s3{}, s4{}, s5{}, s6{}, s7{};
#define CERTUS_ADD(place)                                         \
  if constexpr (count > place) {                                  \
    const Values difference = row - centers[place * columns + j]; \
    s##place += difference * difference;                          \
  }
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    Values row;
    __builtin_memcpy(&row, rows + j * lanes, sizeof row);
    CERTUS_ADD(0)
    CERTUS_ADD(1)
    CERTUS_ADD(2)
    CERTUS_ADD(3)
    CERTUS_ADD(4)
    CERTUS_ADD(5)
    CERTUS_ADD(6)
    CERTUS_ADD(7)
  }
#undef CERTUS_ADD
  const Values sums[] = {s0, s1, s2, s3, s4, s5, s6, s7};
  for (int place = 0; place < count; ++place) out[place] = sums[place];
}

// Calls take(distance, center) for all centers in turn, for one vector of lanes.
template <class T, class Take>
inline void for_each_center(const T* rows, std::ptrdiff_t columns, const T* centers, std::ptrdiff_t count,
                            Take take) {
  typename Lane<T>::Values found[8];
  std::ptrdiff_t first = 0;
  const auto some = [&](auto compute, std::ptrdiff_t size) {
    compute(rows, columns, centers + first * columns, found);
    for (std::ptrdiff_t c = 0; c < size; ++c) take(found[c], first + c);
    first += size;
  };
  while (first + 8 <= count) some(distances<T, 8>, 8);
  if (first + 4 <= count) some(distances<T, 4>, 4);
  if (first + 2 <= count) some(distances<T, 2>, 2);
  if (first < count) some(distances<T, 1>, 1);
}

template <class T>
void nearest(const T* group, std::ptrdiff_t columns, const T* centers, std::ptrdiff_t count,
             std::int32_t* label, T* best, T* second) {
  using Values = typename Lane<T>::Values;
  using Whole = typename Lane<T>::Whole;
  constexpr std::ptrdiff_t width = register_bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  for (std::ptrdiff_t part = 0; part < lanes; part += width) {
    Values first_best = Values{} + static_cast<T>(__builtin_inf()), second_best = first_best;
    Whole place{};
    for_each_center(group + part, columns, centers, count, [&](Values distance, std::ptrdiff_t center) {
      const Whole nearer = distance < first_best;
      const Values next = distance < second_best ? distance : second_best;
      second_best = nearer ? first_best : next;
      first_best = nearer ? distance : first_best;
      place = nearer ? Whole{} + static_cast<typename Lane<T>::Int>(center) : place;
    });
    __builtin_memcpy(best + part, &first_best, sizeof(Values));
    __builtin_memcpy(second + part, &second_best, sizeof(Values));
    for (std::ptrdiff_t lane = 0; lane < width; ++lane)
      label[part + lane] = static_cast<std::int32_t>(place[lane]);
  }
}

template <class T>
void all_distances(const T* group, std::ptrdiff_t columns, const T* centers, std::ptrdiff_t count, T* out) {
  using Values = typename Lane<T>::Values;
  constexpr std::ptrdiff_t width = register_bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  for (std::ptrdiff_t part = 0; part < lanes; part += width) {
    for_each_center(group + part, columns, centers, count, [&](Values distance, std::ptrdiff_t center) {
      __builtin_memcpy(out + center * lanes + part, &distance, sizeof(Values));
    });
  }
}

}  // namespace

extern const cluster::LaneOps lane_ops_table;
const cluster::LaneOps lane_ops_table = {nearest<float>, nearest<double>, all_distances<float>,
                                         all_distances<double>};

}  // namespace certus::CERTUS_ISA
