// Hidden Markov models: sequences of rows x_1 .. x_T with hidden states z_1 .. z_T in 0 .. K-1,
//   p(x, z) = start(z_1) prod_t A(z_t, z_{t+1}) prod_t b_t(z_t),   b_t(j) = p(x_t | z_t = j).
// The kernels take log b as a table of all rows and the places where sequences begin; the emission itself is
// not their matter. A state that is known not to be is minus infinity there.
//
// Forward and backward recursions are scaled row by row (Rabiner 1989, section V.A); posteriors overwrite the
// filtered probabilities, and the expected transitions are A(i, j) times a sum of products over the rows, so
// that no table of T x K x K exists. Rounding to zero loses a posterior of at most 1e-180 per row as long as
// all scales are above 1e-120 (filtered and backward probabilities each have the sum 1); where one is not,
// the sequence is done again with logarithms.
//
// Sequences are put into blocks by their rows alone; sums of blocks are added in order: equal bits for any
// number of threads. Cost O(T K^2).
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::graphical {

// The chain and where the sequences begin: starts has one entry more than there are sequences.
struct Chain {
  std::span<const double> start;            // K probabilities
  View2D<const double> transitions;         // K x K, rows sum to 1
  std::span<const std::int64_t> sequences;  // first rows, and the number of rows
};

// likelihood[s] = log p(x) of sequence s, and filtered(t, j) = P(z_t = j | x_1 .. x_t); a table of no rows
// for `filtered` means that only the likelihood is asked for. Minus infinity where no path can be.
void filter_states(const Chain& chain, View2D<const double> log_density, View2D<double> filtered,
                   std::span<double> likelihood, int threads, StopToken& stop);

// Expected counts, each sequence times its weight (an empty span means 1): posterior(t, j) = P(z_t = j | x),
// first[j] the sum over first rows, pairs(i, j) that of transitions.
struct Expectations {
  View2D<double> posterior;
  std::span<double> first;
  View2D<double> pairs;
  std::span<double> likelihood;
};
void expect_states(const Chain& chain, View2D<const double> log_density, std::span<const double> weights,
                   const Expectations& out, int threads, StopToken& stop);

// The path of the highest probability (Viterbi 1967), the first of equals by its last state, and log p(x,
// path). A sequence without a possible path gets minus infinity. At most 65 535 states.
void best_paths(const Chain& chain, View2D<const double> log_density, std::span<std::int64_t> path,
                std::span<double> value, int threads, StopToken& stop);

// value[s] = the largest log p(x, z) over all paths z, by the recursion from the end: nothing of best_paths
// is used.
void best_values(const Chain& chain, View2D<const double> log_density, std::span<double> value, int threads,
                 StopToken& stop);

}  // namespace certus::graphical
