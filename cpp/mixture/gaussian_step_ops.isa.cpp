#include "mixture/gaussian_step_ops.hpp"

#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using mixture::group_rows;
using mixture::tile;
using Size = std::ptrdiff_t;

#if defined(__AVX512F__)
constexpr Size register_bytes = 64;
constexpr int wide = 4;  // columns of a tile of products: as many as leave registers free
#elif defined(__AVX__)
constexpr Size register_bytes = 32;
constexpr int wide = 2;
#else
constexpr Size register_bytes = 16;
constexpr int wide = 2;
#endif
constexpr Size lanes = register_bytes / static_cast<Size>(sizeof(double));
typedef double Values __attribute__((vector_size(register_bytes)));

inline Values load(const double* from) {
  Values found;
  __builtin_memcpy(&found, from, sizeof found);
  return found;
}

inline void store(const Values& values, double* to) { __builtin_memcpy(to, &values, sizeof values); }

// The lanes added in halves, which needs fewer steps than one after the other.
inline double sum(const Values& values) {
  double parts[lanes];
  store(values, parts);
  for (Size half = lanes / 2; half > 0; half /= 2) {
    for (Size place = 0; place < half; ++place) parts[place] += parts[place + half];
  }
  return parts[0];
}

void center(const double* x, const double* mean, Size columns, double* out) {
  for (Size j = 0; j < columns; ++j) {
    for (Size r = 0; r < group_rows; ++r) out[j * group_rows + r] = x[j * group_rows + r] - mean[j];
  }
}

// Four columns of the product for two vectors of lanes: eight running sums.
inline void four_columns(const double* centered, const double* factor, Size columns, Size first, Values& low,
                         Values& high) {
  Values a0{}, a1{}, a2{}, a3{}, b0{}, b1{}, b2{}, b3{};
  for (Size j = 0; j < first + tile; ++j) {
    const Values a = load(centered + j * group_rows), b = load(centered + j * group_rows + lanes);
    const double* entry = factor + j * columns + first;
    a0 += a * entry[0];
    b0 += b * entry[0];
    a1 += a * entry[1];
    b1 += b * entry[1];
    a2 += a * entry[2];
    b2 += b * entry[2];
    a3 += a * entry[3];
    b3 += b * entry[3];
  }
  low += (a0 * a0 + a1 * a1) + (a2 * a2 + a3 * a3);
  high += (b0 * b0 + b1 * b1) + (b2 * b2 + b3 * b3);
}

void triangular_squares(const double* centered, const double* factor, Size columns, double* squares) {
  for (Size r = 0; r < group_rows; r += 2 * lanes) {
    Values low{}, high{};
    for (Size first = 0; first < columns; first += tile) {
      four_columns(centered + r, factor, columns, first, low, high);
    }
    store(low, squares + r);
    store(high, squares + r + lanes);
  }
}

void scaled_squares(const double* x, const double* mean, const double* scale, Size columns, double* squares) {
  for (Size r = 0; r < group_rows; r += 2 * lanes) {
    Values low{}, high{};
    for (Size j = 0; j < columns; ++j) {
      const Values a = (load(x + j * group_rows + r) - mean[j]) * scale[j];
      const Values b = (load(x + j * group_rows + r + lanes) - mean[j]) * scale[j];
      low += a * a;
      high += b * b;
    }
    store(low, squares + r);
    store(high, squares + r + lanes);
  }
}

void shares(double* joint, Size components, const double* weights, double* largest, double* total) {
  for (Size r = 0; r < group_rows; ++r) largest[r] = joint[r];
  for (Size k = 1; k < components; ++k) {
    const double* row = joint + k * group_rows;
    for (Size r = 0; r < group_rows; ++r) largest[r] = row[r] > largest[r] ? row[r] : largest[r];
  }
  double shift[group_rows], scale[group_rows];
  for (Size r = 0; r < group_rows; ++r) {
    shift[r] = largest[r] > -1.7e308 ? largest[r] : 0.0;  // minus infinity everywhere: equal shares
    total[r] = 0.0;
  }
  for (Size k = 0; k < components; ++k) {
    double* row = joint + k * group_rows;
    for (Size r = 0; r < group_rows; ++r) row[r] = exp_of(row[r] - shift[r]);
    for (Size r = 0; r < group_rows; ++r) total[r] += row[r];
  }
  for (Size r = 0; r < group_rows; ++r) scale[r] = weights[r] / total[r];
  for (Size k = 0; k < components; ++k) {
    double* row = joint + k * group_rows;
    for (Size r = 0; r < group_rows; ++r) row[r] *= scale[r];
  }
}

inline double sum_of(const double* values) {
  Values even{}, odd{};
  for (Size r = 0; r < group_rows; r += 2 * lanes) {
    even += load(values + r);
    odd += load(values + r + lanes);
  }
  return sum(even + odd);
}

// A tile of `tile` x `wide` entries of the products; its sums stay in registers.
inline void product_tile(const double* weighted, const double* centered, double* out, Size columns) {
  Values sums[tile][wide] = {};
  for (Size r = 0; r < group_rows; r += lanes) {
    Values other[wide];
#pragma GCC unroll 4
    for (int j = 0; j < wide; ++j) other[j] = load(centered + j * group_rows + r);
#pragma GCC unroll 4
    for (int i = 0; i < tile; ++i) {
      const Values own = load(weighted + i * group_rows + r);
#pragma GCC unroll 4
      for (int j = 0; j < wide; ++j) sums[i][j] += own * other[j];
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < tile; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < wide; ++j) out[i * columns + j] += sum(sums[i][j]);
  }
}

double product_moments(const double* centered, const double* share, Size columns, double* first,
                       double* second) {
  double weighted[tile * group_rows];
  for (Size i = 0; i < columns; i += tile) {
    for (Size j = 0; j < tile; ++j) {
      const double* from = centered + (i + j) * group_rows;
      for (Size r = 0; r < group_rows; ++r) weighted[j * group_rows + r] = share[r] * from[r];
      first[i + j] += sum_of(weighted + j * group_rows);
    }
    for (Size j = i; j < columns; j += wide) {
      product_tile(weighted, centered + j * group_rows, second + i * columns + j, columns);
    }
  }
  return sum_of(share);
}

double squared_moments(const double* x, const double* center, const double* share, Size columns,
                       double* first, double* second) {
  for (Size j = 0; j < columns; ++j) {
    const double* from = x + j * group_rows;
    Values once{}, twice{}, once_odd{}, twice_odd{};
    for (Size r = 0; r < group_rows; r += 2 * lanes) {
      const Values even = load(from + r) - center[j], odd = load(from + r + lanes) - center[j];
      const Values weighted = load(share + r) * even, weighted_odd = load(share + r + lanes) * odd;
      once += weighted;
      once_odd += weighted_odd;
      twice += weighted * even;
      twice_odd += weighted_odd * odd;
    }
    first[j] += sum(once + once_odd);
    second[j] += sum(twice + twice_odd);
  }
  return sum_of(share);
}

}  // namespace

extern const GaussianStepOps gaussian_step_ops_table;
const GaussianStepOps gaussian_step_ops_table = {center, triangular_squares, scaled_squares,
                                                 shares, product_moments,    squared_moments};

}  // namespace certus::CERTUS_ISA
