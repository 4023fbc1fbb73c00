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

// Squared distances of one group to `at_once` successive centers.
template <class T, std::ptrdiff_t at_once, std::ptrdiff_t parts>
inline void distances(const T* group, std::ptrdiff_t columns, const T* centers,
                      typename Lane<T>::Values (&sums)[at_once][parts]) {
  using Values = typename Lane<T>::Values;
  constexpr std::ptrdiff_t width = lanes / parts;
  for (std::ptrdiff_t c = 0; c < at_once; ++c)
    for (std::ptrdiff_t part = 0; part < parts; ++part) sums[c][part] = Values{};
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    Values row[parts];
    for (std::ptrdiff_t part = 0; part < parts; ++part)
      __builtin_memcpy(&row[part], group + j * lanes + part * width, sizeof(Values));
    for (std::ptrdiff_t c = 0; c < at_once; ++c) {
      const T center = centers[c * columns + j];
      for (std::ptrdiff_t part = 0; part < parts; ++part) {
        const Values difference = row[part] - center;
        sums[c][part] += difference * difference;
      }
    }
  }
}

// The running minimum, second minimum and its place, one vector per part.
template <class T, std::ptrdiff_t parts>
struct Standing {
  using Values = typename Lane<T>::Values;
  using Whole = typename Lane<T>::Whole;

  Values best[parts], second[parts];
  Whole label[parts];

  void start() {
    for (std::ptrdiff_t part = 0; part < parts; ++part) {
      best[part] = second[part] = Values{} + static_cast<T>(__builtin_inf());
      label[part] = Whole{};
    }
  }

  void take(std::ptrdiff_t part, Values distance, std::ptrdiff_t center) {
    const Whole nearer = distance < best[part];
    const Whole between = distance < second[part];
    const Values next = between ? distance : second[part];
    second[part] = nearer ? best[part] : next;
    best[part] = nearer ? distance : best[part];
    label[part] = nearer ? Whole{} + static_cast<typename Lane<T>::Int>(center) : label[part];
  }
};

template <class T>
void nearest(const T* group, std::ptrdiff_t columns, const T* centers, std::ptrdiff_t count,
             std::int32_t* label, T* best, T* second) {
  using Values = typename Lane<T>::Values;
  constexpr std::ptrdiff_t width = register_bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr std::ptrdiff_t parts = lanes / width;
  constexpr std::ptrdiff_t at_once = parts >= 8 ? 1 : 8 / parts;  // eight sums in flight
  Standing<T, parts> standing;
  standing.start();
  std::ptrdiff_t first = 0;
  for (; first + at_once <= count; first += at_once) {
    Values sums[at_once][parts];
    distances<T, at_once, parts>(group, columns, centers + first * columns, sums);
    for (std::ptrdiff_t c = 0; c < at_once; ++c)
      for (std::ptrdiff_t part = 0; part < parts; ++part) standing.take(part, sums[c][part], first + c);
  }
  for (; first < count; ++first) {
    Values sums[1][parts];
    distances<T, 1, parts>(group, columns, centers + first * columns, sums);
    for (std::ptrdiff_t part = 0; part < parts; ++part) standing.take(part, sums[0][part], first);
  }
  for (std::ptrdiff_t part = 0; part < parts; ++part) {
    __builtin_memcpy(best + part * width, &standing.best[part], sizeof(Values));
    __builtin_memcpy(second + part * width, &standing.second[part], sizeof(Values));
    for (std::ptrdiff_t lane = 0; lane < width; ++lane)
      label[part * width + lane] = static_cast<std::int32_t>(standing.label[part][lane]);
  }
}

template <class T>
void all_distances(const T* group, std::ptrdiff_t columns, const T* centers, std::ptrdiff_t count, T* out) {
  using Values = typename Lane<T>::Values;
  constexpr std::ptrdiff_t parts = lanes * static_cast<std::ptrdiff_t>(sizeof(T)) / register_bytes;
  for (std::ptrdiff_t c = 0; c < count; ++c) {
    Values sums[1][parts];
    distances<T, 1, parts>(group, columns, centers + c * columns, sums);
    __builtin_memcpy(out + c * lanes, &sums, sizeof sums);
  }
}

}  // namespace

extern const cluster::LaneOps lane_ops_table;
const cluster::LaneOps lane_ops_table = {nearest<float>, nearest<double>, all_distances<float>,
                                         all_distances<double>};

}  // namespace certus::CERTUS_ISA
