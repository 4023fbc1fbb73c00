// Inner loops over the rows of one sequence of a hidden Markov model, one version per instruction set (see
// core/isa.hpp). Vectors over the K states are padded with zeros (of logarithms: minus infinity) to `width`
// entries, a multiple of the registers' size; a chunk has at most `chunk_rows` rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace certus::graphical {

enum : std::ptrdiff_t { chunk_rows = 64 };

// Below this, what rounding to zero has lost might count: the caller turns to logarithms.
constexpr double least_scale = 1e-120;

struct ChainOps {
  // out(t, j) = exp(log_density(t, j) - largest_t), largest_t the largest of row t; `out` has padded rows.
  void (*scaled_densities)(const double* log_density, std::ptrdiff_t rows, std::ptrdiff_t states,
                           std::ptrdiff_t width, double* out, double* largest);
  // Filtered probabilities: state := (state A) * density_t / scale_t, where scale_t makes the sum 1. With
  // `begins` the first row takes `state` as it is for the prediction. Returns the rows done: fewer than
  // `rows` where a scale is below `least_scale`.
  std::ptrdiff_t (*forward)(const double* density, std::ptrdiff_t rows, std::ptrdiff_t states,
                            std::ptrdiff_t width, const double* transitions, bool begins, double* state,
                            double* filtered, double* scale);
  // From the last row of a chunk to its first: beta := A later / d with sum 1, posterior := filtered * beta /
  // n in place (rows of `states` entries, times weight), later := density_t * beta. `ends`: the chunk's last
  // row is the sequence's, where beta is constant. pairs(i, j) += weight sum_t filtered_t(i) / (n_t d_t)
  // later_t(j). Returns whether all d and n are at least `least_scale`.
  bool (*backward)(const double* density, std::ptrdiff_t rows, std::ptrdiff_t states, std::ptrdiff_t width,
                   const double* transposed, bool ends, double weight, double* later, double* posterior,
                   double* pairs, double* scratch);
  // Best scores: state_j := max_i (state_i + log A_ij) + log_density(t, j), and came(t, j) the first i that
  // has the maximum (nothing for the first row with `begins`). `state` has room for three widths.
  void (*best)(const double* log_density, std::ptrdiff_t rows, std::ptrdiff_t states, std::ptrdiff_t width,
               const double* log_transitions, bool begins, double* state, std::uint16_t* came);
};

}  // namespace certus::graphical

namespace certus {
const graphical::ChainOps& chain_ops() noexcept;
}
