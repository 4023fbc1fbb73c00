#include "graphical/chain_ops.hpp"

#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using graphical::chunk_rows;
using graphical::least_scale;
using Size = std::ptrdiff_t;

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif

// A vector over the states in registers.
template <int fixed>
struct Row {
  static constexpr int bytes = fixed * 8 < register_bytes ? fixed * 8 : register_bytes;
  static constexpr int lanes = bytes / 8, count = fixed / lanes;
  typedef double Values __attribute__((vector_size(bytes)));
  typedef double Loose __attribute__((vector_size(bytes), aligned(8), may_alias));
  Values part[count];

  static Row at(const double* x) {
    Row row;
#pragma GCC unroll 12
    for (int k = 0; k < count; ++k) row.part[k] = *reinterpret_cast<const Loose*>(x + k * lanes);
    return row;
  }
  static Row all(double x) {
    Row row;
#pragma GCC unroll 12
    for (int k = 0; k < count; ++k) row.part[k] = x - Values{};
    return row;
  }
  void write(double* x) const {
#pragma GCC unroll 12
    for (int k = 0; k < count; ++k) *reinterpret_cast<Loose*>(x + k * lanes) = part[k];
  }
  void add(double factor, const double* x) {  // += factor x
    const Row other = at(x);
#pragma GCC unroll 12
    for (int k = 0; k < count; ++k) part[k] += factor * other.part[k];
  }
  void add(const Row& other) {
#pragma GCC unroll 12
    for (int k = 0; k < count; ++k) part[k] += other.part[k];
  }
};

// out := sum_i x_i rows(i, :). `fixed` is the width where it is known, so that the sums stay in registers.
template <int fixed>
inline void combine(const double* __restrict x, const double* __restrict rows, Size states, Size width,
                    double* __restrict out) {
  if constexpr (fixed > 0) {
    Row<fixed> even = Row<fixed>::all(0.0), odd = even;
    Size i = 0;
    for (; i + 2 <= states; i += 2) {
      even.add(x[i], rows + i * fixed);
      odd.add(x[i + 1], rows + (i + 1) * fixed);
    }
    if (i < states) even.add(x[i], rows + i * fixed);
    even.add(odd);
    even.write(out);
  } else {
    for (Size j = 0; j < width; ++j) out[j] = 0.0;
    for (Size i = 0; i < states; ++i) {
      for (Size j = 0; j < width; ++j) out[j] += x[i] * rows[i * width + j];
    }
  }
}

// Four running sums: one order of additions for every width.
inline double sum(const double* x, Size width) {
  double parts[4] = {};
  for (Size j = 0; j < width; j += 4) {
    for (int lane = 0; lane < 4; ++lane) parts[lane] += x[j + lane];
  }
  return (parts[0] + parts[2]) + (parts[1] + parts[3]);
}

inline double dot(const double* x, const double* y, Size width) {
  double parts[4] = {};
  for (Size j = 0; j < width; j += 4) {
    for (int lane = 0; lane < 4; ++lane) parts[lane] += x[j + lane] * y[j + lane];
  }
  return (parts[0] + parts[2]) + (parts[1] + parts[3]);
}

void scaled_densities(const double* log_density, Size rows, Size states, Size width, double* out,
                      double* largest) {
  for (Size t = 0; t < rows; ++t) {
    const double* from = log_density + t * states;
    double* to = out + t * width;
    double most = from[0];
    for (Size j = 1; j < states; ++j) most = from[j] > most ? from[j] : most;
    largest[t] = most;
    // Where every entry is minus infinity the difference is NaN, which the comparison below leaves at 0.
    for (Size j = 0; j < states; ++j) to[j] = from[j] - most;
    for (Size j = states; j < width; ++j) to[j] = -1e4;
  }
  for (Size place = 0; place < rows * width; ++place) {
    const double x = out[place];
    const double found = exp_of(x);
    out[place] = x > -700.0 ? found : 0.0;
  }
}

// A row's scale is divided out of the next one, beside its products: sum and division are then no link of the
// chain of operations from row to row.
template <int fixed>
Size forward_of(const double* density, Size rows, Size states, Size given_width, const double* transitions,
                bool begins, double* state, double* filtered, double* scale) {
  const Size width = fixed > 0 ? fixed : given_width;
  double local[fixed > 0 ? fixed : 1];
  double* next = fixed > 0 ? local : state + width;  // the caller gives twice the width
  double factor = 1.0;                               // makes the sum of `state` 1
  for (Size t = 0; t < rows; ++t) {
    const double* at = density + t * width;
    if (begins && t == 0) {
      for (Size j = 0; j < width; ++j) state[j] *= at[j];
    } else {
      combine<fixed>(state, transitions, states, width, next);
      for (Size j = 0; j < width; ++j) state[j] = next[j] * (at[j] * factor);
    }
    const double total = sum(state, width);
    if (!(total >= least_scale)) return t;
    scale[t] = total;
    factor = 1.0 / total;
    if (filtered != nullptr) {
      for (Size j = 0; j < states; ++j) filtered[t * states + j] = state[j] * factor;
    }
  }
  for (Size j = 0; j < width; ++j) state[j] *= factor;
  return rows;
}

// pairs(i, :) += sum_t sources_t(i) targets_t, some rows of the table at once, so that sums do not wait for
// each other.
template <int fixed, int together>
inline void add_pairs(const double* sources, const double* targets, Size rows, Size i, double* pairs) {
  Row<fixed> sums[together];
#pragma GCC unroll 4
  for (int k = 0; k < together; ++k) sums[k] = Row<fixed>::all(0.0);
  for (Size t = 0; t < rows; ++t) {
#pragma GCC unroll 4
    for (int k = 0; k < together; ++k) sums[k].add(sources[t * fixed + i + k], targets + t * fixed);
  }
#pragma GCC unroll 4
  for (int k = 0; k < together; ++k) {
    sums[k].add(1.0, pairs + (i + k) * fixed);
    sums[k].write(pairs + (i + k) * fixed);
  }
}

template <int fixed>
bool backward_of(const double* density, Size rows, Size states, Size given_width, const double* transposed,
                 bool ends, double weight, double* later, double* posterior, double* pairs, double* scratch) {
  const Size width = fixed > 0 ? fixed : given_width;
  double* alpha = scratch;                         // filtered probabilities of the row, padded
  double* beta = scratch + width;                  // of the row, not yet divided by its sum
  double* sources = scratch + 2 * width;           // filtered / (n d), row by row
  double* targets = sources + chunk_rows * width;  // density * beta of the next row
  for (Size j = states; j < width; ++j) alpha[j] = 0.0;
  double scaling = 1.0;  // of `later`, whose sum is divided out one row after
  for (Size t = rows - 1; t >= 0; --t) {
    double* row = posterior + t * states;
    const bool last = ends && t == rows - 1;
    for (Size j = 0; j < states; ++j) alpha[j] = row[j];
    if (last) {
      for (Size j = 0; j < width; ++j) beta[j] = j < states ? 1.0 / static_cast<double>(states) : 0.0;
      for (Size j = 0; j < width; ++j) sources[t * width + j] = targets[t * width + j] = 0.0;
    } else {
      for (Size j = 0; j < width; ++j) targets[t * width + j] = later[j] * scaling;
      combine<fixed>(later, transposed, states, width, beta);
      for (Size j = 0; j < width; ++j) beta[j] *= scaling;
    }
    const double* at = density + t * width;
    for (Size j = 0; j < width; ++j) later[j] = at[j] * beta[j];
    const double total = last ? 1.0 : sum(beta, width);
    if (!(total >= least_scale)) return false;
    scaling = 1.0 / total;
    const double common = dot(alpha, beta, width);  // n d
    if (!(common * scaling >= least_scale)) return false;
    const double factor = weight / common;
    if (!last) {
      for (Size j = 0; j < width; ++j) sources[t * width + j] = alpha[j] * factor;
    }
    for (Size j = 0; j < states; ++j) row[j] = alpha[j] * beta[j] * factor;
  }
  for (Size j = 0; j < width; ++j) later[j] *= scaling;
  if constexpr (fixed > 0) {
    Size i = 0;
    constexpr int together = fixed > 16 ? 2 : 4;
    for (; i + together <= states; i += together)
      add_pairs<fixed, together>(sources, targets, rows, i, pairs);
    for (; i + 2 <= states; i += 2) add_pairs<fixed, 2>(sources, targets, rows, i, pairs);
    if (i < states) add_pairs<fixed, 1>(sources, targets, rows, i, pairs);
  } else {
    for (Size i = 0; i < states; ++i) {
      for (Size t = 0; t < rows; ++t) {
        const double source = sources[t * width + i];
        for (Size j = 0; j < width; ++j) pairs[i * width + j] += source * targets[t * width + j];
      }
    }
  }
  return true;
}

template <int fixed>
inline Row<fixed> larger(const Row<fixed>& a, const Row<fixed>& b) {
  Row<fixed> found;
#pragma GCC unroll 12
  for (int k = 0; k < Row<fixed>::count; ++k) found.part[k] = a.part[k] > b.part[k] ? a.part[k] : b.part[k];
  return found;
}

template <int fixed>
inline Row<fixed> reached_from(const double* state, const double* rows, Size i) {
  Row<fixed> reached = Row<fixed>::at(rows + i * fixed);
  reached.add(Row<fixed>::all(state[i]));
  return reached;
}

// max_i (state_i + rows(i, j)): two chains of comparisons, since the next row waits for the result.
template <int fixed>
inline Row<fixed> best_reached(const double* state, const double* rows, Size states) {
  Row<fixed> even = reached_from<fixed>(state, rows, 0), odd = even;
  Size i = 1;
  for (; i + 2 <= states; i += 2) {
    odd = larger<fixed>(odd, reached_from<fixed>(state, rows, i));
    even = larger<fixed>(even, reached_from<fixed>(state, rows, i + 1));
  }
  if (i < states) odd = larger<fixed>(odd, reached_from<fixed>(state, rows, i));
  return larger<fixed>(even, odd);
}

// The first i that has the maximum, as a double: one kind of register. The next row does not wait for it.
template <int fixed>
inline Row<fixed> first_best(const double* state, const double* rows, Size states, const Row<fixed>& best) {
  Row<fixed> origin = Row<fixed>::all(0.0);
  for (Size i = states - 1; i >= 0; --i) {
    const Row<fixed> reached = reached_from<fixed>(state, rows, i);
    const auto number = Row<fixed>::all(static_cast<double>(i));
#pragma GCC unroll 12
    for (int k = 0; k < Row<fixed>::count; ++k)
      origin.part[k] = reached.part[k] == best.part[k] ? number.part[k] : origin.part[k];
  }
  return origin;
}

// The same for widths that are not known: next_j the maximum, from_j the first i that has it.
inline void best_before(const double* state, const double* rows, Size states, Size width, double* next,
                        double* from) {
  for (Size j = 0; j < width; ++j) {
    next[j] = state[0] + rows[j];
    from[j] = 0.0;
  }
  for (Size i = 1; i < states; ++i) {
    for (Size j = 0; j < width; ++j) {
      const double reached = state[i] + rows[i * width + j];
      from[j] = reached > next[j] ? static_cast<double>(i) : from[j];
      next[j] = reached > next[j] ? reached : next[j];
    }
  }
}

template <int fixed>
void best_of(const double* log_density, Size rows, Size states, Size width, const double* log_transitions,
             bool begins, double* state, std::uint16_t* came) {
  double* next = state + width;  // the caller gives three times the width
  double* from = state + 2 * width;
  if constexpr (fixed > 0) {
    for (Size j = states; j < fixed; ++j) next[j] = 0.0;  // a padded copy of the row's densities
  }
  for (Size t = 0; t < rows; ++t) {
    const double* at = log_density + t * states;
    if (begins && t == 0) {
      for (Size j = 0; j < states; ++j) state[j] += at[j];
      continue;
    }
    if constexpr (fixed > 0) {
      for (Size j = 0; j < states; ++j) next[j] = at[j];
      Row<fixed> best = best_reached<fixed>(state, log_transitions, states);
      first_best<fixed>(state, log_transitions, states, best).write(from);
      best.add(Row<fixed>::at(next));
      best.write(state);
    } else {
      best_before(state, log_transitions, states, width, next, from);
      for (Size j = 0; j < states; ++j) state[j] = next[j] + at[j];
    }
    for (Size j = 0; j < states; ++j) came[t * states + j] = static_cast<std::uint16_t>(from[j]);
  }
}

// Calls the version for the width.
#define CERTUS_BY_WIDTH(function, ...)  \
  switch (width) {                      \
    case 4:                             \
      return function<4>(__VA_ARGS__);  \
    case 8:                             \
      return function<8>(__VA_ARGS__);  \
    case 16:                            \
      return function<16>(__VA_ARGS__); \
    case 24:                            \
      return function<24>(__VA_ARGS__); \
    default:                            \
      return function<0>(__VA_ARGS__);  \
  }

Size forward(const double* density, Size rows, Size states, Size width, const double* transitions,
             bool begins, double* state, double* filtered, double* scale) {
  CERTUS_BY_WIDTH(forward_of, density, rows, states, width, transitions, begins, state, filtered, scale)
}
bool backward(const double* density, Size rows, Size states, Size width, const double* transposed, bool ends,
              double weight, double* later, double* posterior, double* pairs, double* scratch) {
  CERTUS_BY_WIDTH(backward_of, density, rows, states, width, transposed, ends, weight, later, posterior,
                  pairs, scratch)
}
void best(const double* log_density, Size rows, Size states, Size width, const double* log_transitions,
          bool begins, double* state, std::uint16_t* came) {
  CERTUS_BY_WIDTH(best_of, log_density, rows, states, width, log_transitions, begins, state, came)
}
#undef CERTUS_BY_WIDTH

}  // namespace

extern const graphical::ChainOps chain_ops_table;
const graphical::ChainOps chain_ops_table = {scaled_densities, forward, backward, best};

}  // namespace certus::CERTUS_ISA
