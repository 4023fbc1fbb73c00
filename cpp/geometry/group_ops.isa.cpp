#include "geometry/group_ops.hpp"

// Declared here because <math.h> brings inline functions along.
extern "C" double pow(double base, double exponent) noexcept;

namespace certus::CERTUS_ISA {
namespace {

using geometry::lanes;
using geometry::Metric;
using geometry::MetricKind;

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
inline Doubles smaller(Doubles a, Doubles b) { return a < b ? a : b; }
inline Doubles size(Doubles a) { return larger(a, -a); }

// One term per metric: the running values after the values y of one column, where the query has x.
struct SquaredEuclidean {
  explicit SquaredEuclidean(const Metric&) {}
  Doubles after(Doubles sums, double x, Doubles y, std::ptrdiff_t) const {
    const Doubles difference = x - y;
    return sums + difference * difference;
  }
};
struct Manhattan {
  explicit Manhattan(const Metric&) {}
  Doubles after(Doubles sums, double x, Doubles y, std::ptrdiff_t) const { return sums + size(x - y); }
};
struct Chebyshev {
  explicit Chebyshev(const Metric&) {}
  Doubles after(Doubles most, double x, Doubles y, std::ptrdiff_t) const { return larger(size(x - y), most); }
};
struct Minkowski {
  explicit Minkowski(const Metric& metric) : power(metric.power), weights(metric.weights) {}
  Doubles after(Doubles sums, double x, Doubles y, std::ptrdiff_t column) const {
    const Doubles sizes = size(x - y);
    const double weight = weights ? weights[column] : 1.0;
    for (std::ptrdiff_t lane = 0; lane < width; ++lane) sums[lane] += weight * pow(sizes[lane], power);
    return sums;
  }
  double power;
  const double* weights;
};
struct WeightedEuclidean {
  explicit WeightedEuclidean(const Metric& metric) : weights(metric.weights) {}
  Doubles after(Doubles sums, double x, Doubles y, std::ptrdiff_t column) const {
    const Doubles difference = x - y;
    return sums + weights[column] * (difference * difference);
  }
  const double* weights;
};
struct Hamming {
  explicit Hamming(const Metric&) {}
  Doubles after(Doubles sums, double x, Doubles y, std::ptrdiff_t) const {
    const Doubles one = Doubles{} + 1.0;
    return sums + (y == x ? Doubles{} : one);
  }
};
struct Canberra {
  explicit Canberra(const Metric&) {}
  Doubles after(Doubles sums, double x, Doubles y, std::ptrdiff_t) const {
    const Doubles whole = size(Doubles{} + x) + size(y);
    return sums + (whole > 0.0 ? size(x - y) / whole : Doubles{});
  }
};

// Some successive groups at a time, at most four: sums of one group alone would wait for each other.
template <std::ptrdiff_t some, class T, class Term>
inline void distances_of(const Term term, const double* query, const T* groups, std::ptrdiff_t columns,
                         double* out) {
  Doubles values[some][parts] = {};
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    for (std::ptrdiff_t g = 0; g < some; ++g) {
      for (std::ptrdiff_t part = 0; part < parts; ++part) {
        const Doubles column = load(groups + (g * columns + j) * lanes + part * width);
        values[g][part] = term.after(values[g][part], query[j], column, j);
      }
    }
  }
  for (std::ptrdiff_t g = 0; g < some; ++g) store(values[g], out + g * lanes);
}

template <class T, class Term>
void distances_with(const Term term, const double* query, const T* groups, std::ptrdiff_t columns,
                    std::ptrdiff_t count, double* out) {
  std::ptrdiff_t g = 0;
  for (; g + 4 <= count; g += 4) {
    distances_of<4>(term, query, groups + g * columns * lanes, columns, out + g * lanes);
  }
  for (; g < count; ++g) distances_of<1>(term, query, groups + g * columns * lanes, columns, out + g * lanes);
}

// To the nearest point of each box, which has the query's own value where that lies inside.
template <class T, class Term>
void box_bounds_with(const Term term, const double* query, const T* low, const T* high,
                     std::ptrdiff_t columns, double* out) {
  Doubles values[parts] = {};
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    for (std::ptrdiff_t part = 0; part < parts; ++part) {
      const Doubles from = load(low + j * lanes + part * width), to = load(high + j * lanes + part * width);
      values[part] = term.after(values[part], query[j], smaller(larger(Doubles{} + query[j], from), to), j);
    }
  }
  store(values, out);
}

// To the farthest corner of each box: an end of the interval is where a term is largest.
template <class T, class Term>
void box_reaches_with(const Term term, const double* query, const T* low, const T* high,
                      std::ptrdiff_t columns, double* out) {
  Doubles values[parts] = {};
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    for (std::ptrdiff_t part = 0; part < parts; ++part) {
      const Doubles from = load(low + j * lanes + part * width), to = load(high + j * lanes + part * width);
      values[part] =
          larger(term.after(values[part], query[j], from, j), term.after(values[part], query[j], to, j));
    }
  }
  store(values, out);
}

// Calls work(term) with the term of a metric.
template <class Work>
void with_term(const Metric& metric, const Work work) {
  switch (metric.kind) {
    case MetricKind::squared_euclidean:
      return work(SquaredEuclidean(metric));
    case MetricKind::manhattan:
      return work(Manhattan(metric));
    case MetricKind::chebyshev:
      return work(Chebyshev(metric));
    case MetricKind::minkowski:
      return work(Minkowski(metric));
    case MetricKind::weighted_euclidean:
      return work(WeightedEuclidean(metric));
    case MetricKind::hamming:
      return work(Hamming(metric));
    case MetricKind::canberra:
      return work(Canberra(metric));
  }
}

template <class T>
void distances(const Metric& metric, const double* query, const T* groups, std::ptrdiff_t columns,
               std::ptrdiff_t count, double* out) {
  with_term(metric, [=](auto term) { distances_with(term, query, groups, columns, count, out); });
}

template <class T>
void box_bounds(const Metric& metric, const double* query, const T* low, const T* high,
                std::ptrdiff_t columns, double* out) {
  with_term(metric, [=](auto term) { box_bounds_with(term, query, low, high, columns, out); });
}

template <class T>
void box_reaches(const Metric& metric, const double* query, const T* low, const T* high,
                 std::ptrdiff_t columns, double* out) {
  with_term(metric, [=](auto term) { box_reaches_with(term, query, low, high, columns, out); });
}

}  // namespace

extern const geometry::GroupOps group_ops_table;
const geometry::GroupOps group_ops_table = {distances<float>,   distances<double>,  box_bounds<float>,
                                            box_bounds<double>, box_reaches<float>, box_reaches<double>};

}  // namespace certus::CERTUS_ISA
