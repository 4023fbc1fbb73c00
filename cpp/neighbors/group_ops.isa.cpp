#include "neighbors/group_ops.hpp"

// Declared here because <math.h> brings inline functions along.
extern "C" double pow(double base, double exponent) noexcept;

namespace certus::CERTUS_ISA {
namespace {

using neighbors::lanes;
using neighbors::Metric;
using neighbors::MetricKind;

// The eight lanes as a few vectors of the registers' width, in the vector types of gcc and clang. Left to
// itself, gcc vectorizes along the columns instead, with many shuffles.
#if defined(__AVX512F__)
constexpr std::ptrdiff_t width = 8;
#elif defined(__AVX__)
constexpr std::ptrdiff_t width = 4;
#else
constexpr std::ptrdiff_t width = 2;
#endif
constexpr std::ptrdiff_t parts = lanes / width;
typedef double Doubles __attribute__((vector_size(width * sizeof(double))));
typedef float Floats __attribute__((vector_size(width * sizeof(float))));

inline Doubles load(const double* from) {
  Doubles values;
  __builtin_memcpy(&values, from, sizeof values);
  return values;
}
inline Doubles load(const float* from) {
  Floats values;
  __builtin_memcpy(&values, from, sizeof values);
  return __builtin_convertvector(values, Doubles);
}
inline void store(const Doubles (&values)[parts], double* to) {
  for (std::ptrdiff_t part = 0; part < parts; ++part)
    __builtin_memcpy(to + part * width, &values[part], sizeof(Doubles));
}
inline Doubles larger(Doubles a, Doubles b) { return a > b ? a : b; }

// One term per metric: the running values after the differences x_j - y_j in one column.
struct SquaredEuclidean {
  explicit SquaredEuclidean(const Metric&) {}
  Doubles after(Doubles sums, Doubles difference, std::ptrdiff_t) const {
    return sums + difference * difference;
  }
};
struct Manhattan {
  explicit Manhattan(const Metric&) {}
  Doubles after(Doubles sums, Doubles difference, std::ptrdiff_t) const {
    return sums + larger(difference, -difference);
  }
};
struct Chebyshev {
  explicit Chebyshev(const Metric&) {}
  Doubles after(Doubles most, Doubles difference, std::ptrdiff_t) const {
    return larger(larger(difference, -difference), most);
  }
};
struct Minkowski {
  explicit Minkowski(const Metric& metric) : power(metric.power), weights(metric.weights) {}
  Doubles after(Doubles sums, Doubles difference, std::ptrdiff_t column) const {
    const Doubles sizes = larger(difference, -difference);
    const double weight = weights ? weights[column] : 1.0;
    for (std::ptrdiff_t lane = 0; lane < width; ++lane) sums[lane] += weight * pow(sizes[lane], power);
    return sums;
  }
  double power;
  const double* weights;
};

template <class T, class Term>
void distances_with(const Term term, const double* query, const T* groups, std::ptrdiff_t columns,
                    std::ptrdiff_t count, double* out) {
  for (std::ptrdiff_t g = 0; g < count; ++g, groups += columns * lanes, out += lanes) {
    Doubles values[parts] = {};
    for (std::ptrdiff_t j = 0; j < columns; ++j) {
      for (std::ptrdiff_t part = 0; part < parts; ++part) {
        values[part] = term.after(values[part], query[j] - load(groups + j * lanes + part * width), j);
      }
    }
    store(values, out);
  }
}

template <class T, class Term>
void box_bounds_with(const Term term, const double* query, const T* low, const T* high,
                     std::ptrdiff_t columns, double* out) {
  Doubles values[parts] = {};
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    for (std::ptrdiff_t part = 0; part < parts; ++part) {
      const Doubles below = load(low + j * lanes + part * width) - query[j];
      const Doubles above = query[j] - load(high + j * lanes + part * width);
      values[part] = term.after(values[part], larger(larger(below, above), Doubles{}), j);
    }
  }
  store(values, out);
}

template <class T>
void distances(const Metric& metric, const double* query, const T* groups, std::ptrdiff_t columns,
               std::ptrdiff_t count, double* out) {
  switch (metric.kind) {
    case MetricKind::squared_euclidean:
      return distances_with(SquaredEuclidean(metric), query, groups, columns, count, out);
    case MetricKind::manhattan:
      return distances_with(Manhattan(metric), query, groups, columns, count, out);
    case MetricKind::chebyshev:
      return distances_with(Chebyshev(metric), query, groups, columns, count, out);
    case MetricKind::minkowski:
      return distances_with(Minkowski(metric), query, groups, columns, count, out);
  }
}

template <class T>
void box_bounds(const Metric& metric, const double* query, const T* low, const T* high,
                std::ptrdiff_t columns, double* out) {
  switch (metric.kind) {
    case MetricKind::squared_euclidean:
      return box_bounds_with(SquaredEuclidean(metric), query, low, high, columns, out);
    case MetricKind::manhattan:
      return box_bounds_with(Manhattan(metric), query, low, high, columns, out);
    case MetricKind::chebyshev:
      return box_bounds_with(Chebyshev(metric), query, low, high, columns, out);
    case MetricKind::minkowski:
      return box_bounds_with(Minkowski(metric), query, low, high, columns, out);
  }
}

// Hits are rare: first ask whether a run of 32 holds any, which needs no branch per element.
std::ptrdiff_t at_most(const float* products, const float* norms, std::ptrdiff_t n, float limit,
                       std::int32_t* hits) {
  constexpr std::ptrdiff_t run = 32;
  std::ptrdiff_t found = 0;
  for (std::ptrdiff_t first = 0; first < n; first += run) {
    const std::ptrdiff_t last = first + run < n ? first + run : n;
    if (last - first == run) {
      std::int32_t any = 0;
      for (std::ptrdiff_t i = 0; i < run; ++i) any |= products[first + i] + norms[first + i] <= limit ? 1 : 0;
      if (any == 0) continue;
    }
    for (std::ptrdiff_t i = first; i < last; ++i) {
      if (products[i] + norms[i] <= limit) hits[found++] = static_cast<std::int32_t>(i);
    }
  }
  return found;
}

}  // namespace

extern const neighbors::GroupOps group_ops_table;
const neighbors::GroupOps group_ops_table = {distances<float>, distances<double>, box_bounds<float>,
                                             box_bounds<double>, at_most};

}  // namespace certus::CERTUS_ISA
