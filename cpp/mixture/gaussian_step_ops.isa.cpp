#include "mixture/gaussian_step_ops.hpp"

#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using mixture::group_rows;
using mixture::tile;
using Size = std::ptrdiff_t;

#if defined(__AVX512F__)
constexpr Size register_bytes = 64;
constexpr int wide = 4;     // columns of a tile of products: as many as leave registers free
constexpr int vectors = 4;  // of lanes that go through a triangular product together
#elif defined(__AVX__)
constexpr Size register_bytes = 32;
constexpr int wide = 2;
constexpr int vectors = 2;
#else
constexpr Size register_bytes = 16;
constexpr int wide = 2;
constexpr int vectors = 2;
#endif
constexpr Size lanes = register_bytes / static_cast<Size>(sizeof(double));
typedef double Values __attribute__((vector_size(register_bytes)));

inline Values load(const double* from) {
  Values found;
  __builtin_memcpy(&found, from, sizeof found);
  return found;
}

inline void store(const Values& values, double* to) { __builtin_memcpy(to, &values, sizeof values); }

// to[i] += the sum of the lanes of the i-th vector, i = 0 .. 3: neighbors are added, all four together.
inline void add_four_sums(const Values& v0, const Values& v1, const Values& v2, const Values& v3,
                          double* to) {
#if defined(__AVX512F__)
  const Values a = __builtin_shufflevector(v0, v1, 0, 8, 2, 10, 4, 12, 6, 14) +
                   __builtin_shufflevector(v0, v1, 1, 9, 3, 11, 5, 13, 7, 15);
  const Values b = __builtin_shufflevector(v2, v3, 0, 8, 2, 10, 4, 12, 6, 14) +
                   __builtin_shufflevector(v2, v3, 1, 9, 3, 11, 5, 13, 7, 15);
  const Values c = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
                   __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  const auto found = __builtin_shufflevector(c, c, 0, 1, 2, 3) + __builtin_shufflevector(c, c, 4, 5, 6, 7);
#elif defined(__AVX__)
  const Values a = __builtin_shufflevector(v0, v1, 0, 4, 2, 6) + __builtin_shufflevector(v0, v1, 1, 5, 3, 7);
  const Values b = __builtin_shufflevector(v2, v3, 0, 4, 2, 6) + __builtin_shufflevector(v2, v3, 1, 5, 3, 7);
  const Values found = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
#else
  const Values found[] = {__builtin_shufflevector(v0, v1, 0, 2) + __builtin_shufflevector(v0, v1, 1, 3),
                          __builtin_shufflevector(v2, v3, 0, 2) + __builtin_shufflevector(v2, v3, 1, 3)};
#endif
  double sums[4];
  __builtin_memcpy(sums, &found, sizeof sums);
  for (int i = 0; i < 4; ++i) to[i] += sums[i];
}

// Four columns of the product for some vectors of lanes.
inline void four_columns(const double* x, const double* mean, const double* factor, Size columns, Size first,
                         Values (&squares)[vectors]) {
  Values sums[vectors][tile] = {};
  for (Size j = 0; j < first + tile; ++j) {
    const double* entry = factor + j * columns + first;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Values centered = load(x + j * group_rows + v * lanes) - mean[j];
#pragma GCC unroll 4
      for (int c = 0; c < tile; ++c) sums[v][c] += centered * entry[c];
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    squares[v] += (sums[v][0] * sums[v][0] + sums[v][1] * sums[v][1]) +
                  (sums[v][2] * sums[v][2] + sums[v][3] * sums[v][3]);
  }
}

void triangular_joint(const double* x, const double* mean, const double* factor, Size columns,
                      double constant, double* joint) {
  for (Size r = 0; r < group_rows; r += vectors * lanes) {
    Values squares[vectors] = {};
    for (Size first = 0; first < columns; first += tile) {
      four_columns(x + r, mean, factor, columns, first, squares);
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) store(constant - 0.5 * squares[v], joint + r + v * lanes);
  }
}

// As many vectors of lanes together as hide the time that a sum takes.
void diagonal_joint(const double* x, const double* shift, const double* scale, Size columns, double constant,
                    double* joint) {
  constexpr int together = 8;
  for (Size r = 0; r < group_rows; r += together * lanes) {
    Values squares[together] = {};
    for (Size j = 0; j < columns; ++j) {
#pragma GCC unroll 8
      for (int v = 0; v < together; ++v) {
        const Values scaled = load(x + j * group_rows + r + v * lanes) * scale[j] - shift[j];
        squares[v] += scaled * scaled;
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < together; ++v) store(constant - 0.5 * squares[v], joint + r + v * lanes);
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
  Values sums[4] = {};
  for (Size r = 0; r < group_rows; r += 4 * lanes) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) sums[v] += load(values + r + v * lanes);
  }
  double parts[4] = {};
  add_four_sums(sums[0], sums[1], sums[2], sums[3], parts);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

// A tile of `tile` x `wide` entries of the products; its sums stay in registers.
inline void product_tile(const double* weighted, const double* x, const double* center, double* out,
                         Size columns) {
  Values sums[tile][wide] = {};
  for (Size r = 0; r < group_rows; r += lanes) {
    Values other[wide];
#pragma GCC unroll 4
    for (int j = 0; j < wide; ++j) other[j] = load(x + j * group_rows + r) - center[j];
#pragma GCC unroll 4
    for (int i = 0; i < tile; ++i) {
      const Values own = load(weighted + i * group_rows + r);
#pragma GCC unroll 4
      for (int j = 0; j < wide; ++j) sums[i][j] += own * other[j];
    }
  }
  if constexpr (wide == 4) {
#pragma GCC unroll 4
    for (int i = 0; i < tile; ++i) {
      add_four_sums(sums[i][0], sums[i][1], sums[i][2], sums[i][wide - 1], out + i * columns);
    }
  } else {
#pragma GCC unroll 2
    for (int i = 0; i < tile; i += 2) {
      double found[4] = {};
      add_four_sums(sums[i][0], sums[i][1], sums[i + 1][0], sums[i + 1][1], found);
      for (int j = 0; j < 2; ++j) {
        out[i * columns + j] += found[j];
        out[(i + 1) * columns + j] += found[2 + j];
      }
    }
  }
}

// Shares times four centered columns, and the sums of the products.
inline void weighted_columns(const double* x, const double* center, const double* share, double* weighted,
                             double* first) {
  Values sums[tile] = {};
  for (Size r = 0; r < group_rows; r += lanes) {
    const Values own = load(share + r);
#pragma GCC unroll 4
    for (int j = 0; j < tile; ++j) {
      const Values product = own * (load(x + j * group_rows + r) - center[j]);
      sums[j] += product;
      store(product, weighted + j * group_rows + r);
    }
  }
  add_four_sums(sums[0], sums[1], sums[2], sums[3], first);
}

double product_moments(const double* x, const double* center, const double* share, Size columns,
                       double* first, double* second) {
  double weighted[tile * group_rows];
  for (Size i = 0; i < columns; i += tile) {
    weighted_columns(x + i * group_rows, center + i, share, weighted, first + i);
    for (Size j = i; j < columns; j += wide) {
      product_tile(weighted, x + j * group_rows, center + j, second + i * columns + j, columns);
    }
  }
  return sum_of(share);
}

// Moments of `wide` vectors of columns; a lane is a column here, so that nothing is added across lanes.
template <int some>
inline void squared_columns(const double* rows, const double* center, const double* share, Size width,
                            double* first, double* second) {
  Values middle[some], once[some] = {}, twice[some] = {};
#pragma GCC unroll 4
  for (int v = 0; v < some; ++v) middle[v] = load(center + v * lanes);
  for (Size r = 0; r < group_rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < some; ++v) {
      const Values centered = load(rows + r * width + v * lanes) - middle[v];
      const Values weighted = share[r] * centered;
      once[v] += weighted;
      twice[v] += weighted * centered;
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < some; ++v) {
    store(load(first + v * lanes) + once[v], first + v * lanes);
    store(load(second + v * lanes) + twice[v], second + v * lanes);
  }
}

double squared_moments(const double* rows, const double* center, const double* share, Size width,
                       double* first, double* second) {
  Size j = 0;
  for (; j + wide * lanes <= width; j += wide * lanes) {
    squared_columns<wide>(rows + j, center + j, share, width, first + j, second + j);
  }
  for (; j < width; j += lanes) squared_columns<1>(rows + j, center + j, share, width, first + j, second + j);
  return sum_of(share);
}

// Some rows of a table side by side, one lane per row; lanes beyond them keep what they hold.
void turn(const double* rows, Size count, Size width, Size columns, double* x) {
  Size r = 0;
  for (; r + 8 <= count; r += 8) {
    const double* from = rows + r * width;
    for (Size j = 0; j < columns; ++j) {
      double* to = x + j * group_rows + r;
#pragma GCC unroll 8
      for (Size lane = 0; lane < 8; ++lane) to[lane] = from[lane * width + j];
    }
  }
  for (; r < count; ++r) {
    for (Size j = 0; j < columns; ++j) x[j * group_rows + r] = rows[r * width + j];
  }
}

}  // namespace

extern const GaussianStepOps gaussian_step_ops_table;
const GaussianStepOps gaussian_step_ops_table = {triangular_joint, diagonal_joint,  shares,
                                                 product_moments,  squared_moments, turn};

}  // namespace certus::CERTUS_ISA
