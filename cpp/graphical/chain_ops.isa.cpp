#include "graphical/chain_ops.hpp"

#include "core/exponential.isa.hpp"

namespace certus::CERTUS_ISA {
namespace {

using graphical::chunk_rows;
using graphical::least_scale;
using Size = std::ptrdiff_t;

// out := sum_i x_i rows(i, :). `fixed` is the width where it is known, so that the sums stay in registers.
template <int fixed>
inline void combine(const double* __restrict x, const double* __restrict rows, Size states, Size width,
                    double* __restrict out) {
  if constexpr (fixed > 0) {
    double even[fixed] = {}, odd[fixed] = {};
    Size i = 0;
    for (; i + 2 <= states; i += 2) {
      for (int j = 0; j < fixed; ++j) even[j] += x[i] * rows[i * fixed + j];
      for (int j = 0; j < fixed; ++j) odd[j] += x[i + 1] * rows[(i + 1) * fixed + j];
    }
    if (i < states) {
      for (int j = 0; j < fixed; ++j) even[j] += x[i] * rows[i * fixed + j];
    }
    for (int j = 0; j < fixed; ++j) out[j] = even[j] + odd[j];
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

template <int fixed>
Size forward_of(const double* density, Size rows, Size states, Size given_width, const double* transitions,
                bool begins, double* state, double* filtered, double* scale) {
  const Size width = fixed > 0 ? fixed : given_width;
  double local[fixed > 0 ? fixed : 1];
  double* next = fixed > 0 ? local : state + width;  // the caller gives twice the width
  for (Size t = 0; t < rows; ++t) {
    if (begins && t == 0) {
      for (Size j = 0; j < width; ++j) next[j] = state[j];
    } else {
      combine<fixed>(state, transitions, states, width, next);
    }
    const double* at = density + t * width;
    for (Size j = 0; j < width; ++j) next[j] *= at[j];
    const double total = sum(next, width);
    if (!(total >= least_scale)) return t;
    scale[t] = total;
    const double factor = 1.0 / total;
    for (Size j = 0; j < width; ++j) state[j] = next[j] * factor;
    if (filtered != nullptr) {
      for (Size j = 0; j < states; ++j) filtered[t * states + j] = state[j];
    }
  }
  return rows;
}

template <int fixed>
bool backward_of(const double* density, Size rows, Size states, Size given_width, const double* transposed,
                 bool ends, double weight, double* later, double* posterior, double* pairs, double* scratch) {
  const Size width = fixed > 0 ? fixed : given_width;
  double* alpha = scratch;                         // filtered probabilities of the row, padded
  double* beta = scratch + width;                  // of the row
  double* sources = scratch + 2 * width;           // filtered / (n d), row by row
  double* targets = sources + chunk_rows * width;  // density * beta of the next row
  for (Size j = states; j < width; ++j) alpha[j] = 0.0;
  for (Size t = rows - 1; t >= 0; --t) {
    double* row = posterior + t * states;
    for (Size j = 0; j < states; ++j) alpha[j] = row[j];
    double total = 1.0;
    if (ends && t == rows - 1) {
      for (Size j = 0; j < width; ++j) beta[j] = j < states ? 1.0 / static_cast<double>(states) : 0.0;
      for (Size j = 0; j < width; ++j) sources[t * width + j] = targets[t * width + j] = 0.0;
    } else {
      combine<fixed>(later, transposed, states, width, beta);
      total = sum(beta, width);
      if (!(total >= least_scale)) return false;
      const double factor = 1.0 / total;
      for (Size j = 0; j < width; ++j) beta[j] *= factor;
    }
    const double common = dot(alpha, beta, width);
    if (!(common >= least_scale)) return false;
    const double factor = weight / common;
    if (!(ends && t == rows - 1)) {
      for (Size j = 0; j < width; ++j) sources[t * width + j] = alpha[j] * (factor / total);
      for (Size j = 0; j < width; ++j) targets[t * width + j] = later[j];
    }
    for (Size j = 0; j < states; ++j) row[j] = alpha[j] * beta[j] * factor;
    const double* at = density + t * width;
    for (Size j = 0; j < width; ++j) later[j] = at[j] * beta[j];
  }
  for (Size i = 0; i < states; ++i) {
    double* into = pairs + i * width;
    if constexpr (fixed > 0) {
      double sums[fixed] = {};
      for (Size t = 0; t < rows; ++t) {
        const double source = sources[t * fixed + i];
        for (int j = 0; j < fixed; ++j) sums[j] += source * targets[t * fixed + j];
      }
      for (int j = 0; j < fixed; ++j) into[j] += sums[j];
    } else {
      for (Size t = 0; t < rows; ++t) {
        const double source = sources[t * width + i];
        for (Size j = 0; j < width; ++j) into[j] += source * targets[t * width + j];
      }
    }
  }
  return true;
}

template <int fixed>
void best_of(double* log_density, Size rows, Size states, Size given_width, const double* log_transitions,
             bool begins, double* state) {
  const Size width = fixed > 0 ? fixed : given_width;
  double local[fixed > 0 ? fixed : 1];
  double* next = fixed > 0 ? local : state + width;
  for (Size t = 0; t < rows; ++t) {
    if (begins && t == 0) {
      for (Size j = 0; j < width; ++j) next[j] = state[j];
    } else {
      for (Size j = 0; j < width; ++j) next[j] = state[0] + log_transitions[j];
      for (Size i = 1; i < states; ++i) {
        const double from = state[i];
        const double* row = log_transitions + i * width;
        for (Size j = 0; j < width; ++j) {
          const double reached = from + row[j];
          next[j] = reached > next[j] ? reached : next[j];
        }
      }
    }
    double* at = log_density + t * states;
    for (Size j = 0; j < states; ++j) at[j] = next[j] + at[j];
    for (Size j = 0; j < states; ++j) state[j] = at[j];
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
void best(double* log_density, Size rows, Size states, Size width, const double* log_transitions, bool begins,
          double* state) {
  CERTUS_BY_WIDTH(best_of, log_density, rows, states, width, log_transitions, begins, state)
}
#undef CERTUS_BY_WIDTH

}  // namespace

extern const graphical::ChainOps chain_ops_table;
const graphical::ChainOps chain_ops_table = {scaled_densities, forward, backward, best};

}  // namespace certus::CERTUS_ISA
