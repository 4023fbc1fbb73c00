#include "graphical/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "graphical/chain_ops.hpp"

CERTUS_ISA_TABLE(certus::graphical::ChainOps, chain_ops)

namespace certus::graphical {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr Index least_block = 4096;  // rows
constexpr Index most_blocks = 128;

Index padded(Index states) {
  if (states <= 4) return 4;
  return block_count(states, 8) * 8;
}

// A matrix with rows of the padded width.
std::vector<double> pad(View2D<const double> matrix, Index width, double filling) {
  std::vector<double> out(static_cast<std::size_t>(matrix.rows * width), filling);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.cols; ++j) out[static_cast<std::size_t>(i * width + j)] = matrix(i, j);
  }
  return out;
}

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> out(values.size());
  std::transform(values.begin(), values.end(), out.begin(), [](double x) { return std::log(x); });
  return out;
}

// Sequences first .. last - 1 of each block: at least `least_block` rows, unless they are the last.
std::vector<Index> blocks_of(std::span<const std::int64_t> sequences) {
  const auto count = static_cast<Index>(sequences.size()) - 1;
  const Index rows = count > 0 ? static_cast<Index>(sequences.back()) : 0;
  const Index size = std::max(least_block, block_count(rows, most_blocks));
  std::vector<Index> firsts{0};
  Index begun = 0;
  for (Index s = 1; s < count; ++s) {
    const auto at = static_cast<Index>(sequences[static_cast<std::size_t>(s)]);
    if (at - begun >= size) {
      firsts.push_back(s);
      begun = at;
    }
  }
  if (count > 0) firsts.push_back(count);
  return firsts;
}

// What one worker needs for a sequence.
struct Scratch {
  std::vector<double> density, largest, scale, state, later, backward, pairs, lattice;
  std::unique_ptr<std::uint16_t[]> came;  // best predecessors; not set to zero first
  std::size_t came_size = 0;
  explicit Scratch(Index width)
      : density(static_cast<std::size_t>(chunk_rows * width)),
        largest(chunk_rows),
        scale(chunk_rows),
        state(static_cast<std::size_t>(3 * width)),
        later(static_cast<std::size_t>(width)),
        backward(static_cast<std::size_t>((2 + 2 * chunk_rows) * width)) {}

  std::uint16_t* room_for(std::size_t size) {
    if (size > came_size) came = std::make_unique_for_overwrite<std::uint16_t[]>(came_size = size);
    return came.get();
  }
};

// The chain in the forms that the loops read.
class Walker {
 public:
  Walker(const Chain& chain, View2D<const double> log_density)
      : chain_(chain),
        log_density_(log_density),
        states_(chain.transitions.rows),
        width_(padded(states_)),
        transitions_(pad(chain.transitions, width_, 0.0)),
        transposed_(pad(chain.transitions.transposed(), width_, 0.0)),
        log_transitions_(logarithms(transitions_)),
        log_transposed_(logarithms(transposed_)),
        log_start_(logarithms({chain.start.begin(), chain.start.end()})) {}

  Index states() const { return states_; }
  Index width() const { return width_; }
  // Whether every state can follow every other: what rounding to zero loses is then lost for good, since the
  // states that are left give every state at least 1e-50 of their probability.
  bool mixes() const {
    const auto likely = [](double value) { return value >= 1e-50; };
    return std::all_of(chain_.transitions.data, chain_.transitions.data + states_ * states_, likely);
  }
  Index first(Index s) const { return static_cast<Index>(chain_.sequences[static_cast<std::size_t>(s)]); }

  // Forward over one sequence; false where the scales became too small. `filtered` may be null.
  bool forward(Index begin, Index end, double* filtered, double& likelihood, Scratch& scratch,
               StopToken& stop) const {
    std::fill(scratch.state.begin(), scratch.state.end(), 0.0);
    std::copy(chain_.start.begin(), chain_.start.end(), scratch.state.begin());
    double sum = 0.0, product = 1.0;
    for (Index at = begin; at < end; at += chunk_rows) {
      if (stop.poll()) return true;
      const Index rows = std::min<Index>(chunk_rows, end - at);
      densities(at, rows, scratch);
      const Index done = chain_ops().forward(
          scratch.density.data(), rows, states_, width_, transitions_.data(), at == begin,
          scratch.state.data(), filtered == nullptr ? nullptr : filtered + (at - begin) * states_,
          scratch.scale.data());
      if (done < rows) return false;
      for (Index t = 0; t < rows; ++t) {
        sum += scratch.largest[static_cast<std::size_t>(t)];
        product *= scratch.scale[static_cast<std::size_t>(t)];
        if (product < 1e-150) {  // one logarithm for many rows; a scale is at least 1e-120
          sum += std::log(product);
          product = 1.0;
        }
      }
    }
    likelihood = sum + std::log(product);
    return true;
  }

  // Backward over one sequence whose filtered probabilities stand in `posterior`.
  bool backward(Index begin, Index end, double weight, double* posterior, double* pairs, Scratch& scratch,
                StopToken& stop) const {
    const Index chunks = block_count(end - begin, chunk_rows);
    for (Index chunk = chunks - 1; chunk >= 0; --chunk) {
      if (stop.poll()) return true;
      const Index at = begin + chunk * chunk_rows;
      const Index rows = std::min<Index>(chunk_rows, end - at);
      densities(at, rows, scratch);
      if (!chain_ops().backward(scratch.density.data(), rows, states_, width_, transposed_.data(),
                                chunk == chunks - 1, weight, scratch.later.data(),
                                posterior + (at - begin) * states_, pairs, scratch.backward.data())) {
        return false;
      }
    }
    return true;
  }

  double log_sum(const double* x) const {
    const double most = *std::max_element(x, x + states_);
    if (most == impossible) return impossible;
    double sum = 0.0;
    for (Index j = 0; j < states_; ++j) sum += std::exp(x[j] - most);
    return most + std::log(sum);
  }

  // log of the joint probability of rows up to t and state, into `lattice`; returns the likelihood.
  double forward_in_logs(Index begin, Index end, double* lattice, Scratch& scratch, StopToken& stop) const {
    std::vector<double>& terms = scratch.state;
    for (Index t = begin; t < end; ++t) {
      if ((t - begin) % chunk_rows == 0 && stop.poll()) return impossible;
      double* row = lattice + (t - begin) * states_;
      for (Index j = 0; j < states_; ++j) {
        if (t == begin) {
          row[j] = log_start_[static_cast<std::size_t>(j)];
        } else {
          const double* into = log_transposed_.data() + j * width_;
          for (Index i = 0; i < states_; ++i) {
            terms[static_cast<std::size_t>(i)] = (row - states_)[i] + into[i];
          }
          row[j] = log_sum(terms.data());
        }
        row[j] += log_density_(t, j);
      }
    }
    return log_sum(lattice + (end - 1 - begin) * states_);
  }

  // Both recursions in logarithms: for sequences whose scaled probabilities leave the range of doubles. Adds
  // A(i, j) times the sums of products, unlike `backward`, whose pairs lack the factor A(i, j).
  void expect_in_logs(Index begin, Index end, double weight, double* posterior, double* pairs,
                      double& likelihood, Scratch& scratch, StopToken& stop) const {
    likelihood = forward_in_logs(begin, end, posterior, scratch, stop);
    if (likelihood == impossible) {
      std::fill_n(posterior, (end - begin) * states_, 0.0);
      return;
    }
    std::vector<double>& terms = scratch.state;
    double* later = scratch.backward.data();  // log of density and backward probability of the next row
    double* beta = scratch.backward.data() + width_;
    for (Index t = end - 1; t >= begin; --t) {
      if ((t - begin) % chunk_rows == 0 && stop.poll()) return;
      double* row = posterior + (t - begin) * states_;
      for (Index i = 0; i < states_; ++i) {
        if (t == end - 1) {
          beta[i] = 0.0;
        } else {
          const double* from = log_transitions_.data() + i * width_;
          for (Index j = 0; j < states_; ++j) terms[static_cast<std::size_t>(j)] = from[j] + later[j];
          beta[i] = log_sum(terms.data());
          for (Index j = 0; j < states_; ++j) {
            pairs[i * width_ + j] +=
                weight * std::exp(row[i] + terms[static_cast<std::size_t>(j)] - likelihood);
          }
        }
      }
      for (Index j = 0; j < states_; ++j) {
        row[j] = weight * std::exp(row[j] + beta[j] - likelihood);
        later[j] = beta[j] + log_density_(t, j);
      }
    }
  }

  void best_path(Index begin, Index end, std::span<std::int64_t> path, double& value, Scratch& scratch,
                 StopToken& stop) const {
    std::fill(scratch.state.begin(), scratch.state.end(), impossible);
    std::copy(log_start_.begin(), log_start_.end(), scratch.state.begin());
    std::uint16_t* came = scratch.room_for(static_cast<std::size_t>((end - begin) * states_));
    for (Index at = begin; at < end; at += chunk_rows) {
      if (stop.poll()) return;
      chain_ops().best(log_density_.row(at), std::min<Index>(chunk_rows, end - at), states_, width_,
                       log_transitions_.data(), at == begin, scratch.state.data(),
                       came + (at - begin) * states_);
    }
    const double* score = scratch.state.data();
    Index best = std::max_element(score, score + states_) - score;
    value = score[best];
    for (Index t = end - 1; t > begin; --t) {
      path[static_cast<std::size_t>(t)] = best;
      best = came[static_cast<std::size_t>((t - begin) * states_ + best)];
    }
    path[static_cast<std::size_t>(begin)] = best;
  }

  double best_value(Index begin, Index end, Scratch& scratch, StopToken& stop) const {
    double* ahead = scratch.backward.data();  // best log-probability of all that follows a state
    double* next = scratch.backward.data() + width_;
    std::fill_n(ahead, states_, 0.0);
    for (Index t = end - 1; t > begin; --t) {
      if ((end - t) % (4 * chunk_rows) == 0 && stop.poll()) return impossible;
      for (Index j = 0; j < states_; ++j) ahead[j] += log_density_(t, j);
      for (Index i = 0; i < states_; ++i) {
        const double* from = log_transitions_.data() + i * width_;
        double most = impossible;
        for (Index j = 0; j < states_; ++j) most = std::max(most, from[j] + ahead[j]);
        next[i] = most;
      }
      std::swap(ahead, next);
    }
    double most = impossible;
    for (Index j = 0; j < states_; ++j) {
      most = std::max(most, log_start_[static_cast<std::size_t>(j)] + log_density_(begin, j) + ahead[j]);
    }
    return most;
  }

 private:
  void densities(Index at, Index rows, Scratch& scratch) const {
    chain_ops().scaled_densities(log_density_.row(at), rows, states_, width_, scratch.density.data(),
                                 scratch.largest.data());
  }

  Chain chain_;
  View2D<const double> log_density_;
  Index states_, width_;
  std::vector<double> transitions_, transposed_, log_transitions_, log_transposed_, log_start_;
};

// Runs body(sequence, block, scratch) for all sequences, those of a block in order.
template <class Body>
void for_sequences(const std::vector<Index>& firsts, Index width, int threads, StopToken& stop, Body&& body) {
  const auto blocks = static_cast<Index>(firsts.size()) - 1;
  const Index workers = std::min<Index>(std::max(threads, 1), std::max<Index>(blocks, 1));
  std::vector<Scratch> scratch;
  for (Index worker = 0; worker < workers; ++worker) scratch.emplace_back(width);
  parallel_for(blocks, static_cast<int>(workers), stop, [&](Index block, int worker) {
    for (Index s = firsts[static_cast<std::size_t>(block)]; s < firsts[static_cast<std::size_t>(block + 1)];
         ++s) {
      if (stop.requested()) return;
      body(s, block, scratch[static_cast<std::size_t>(worker)]);
    }
  });
}

}  // namespace

void filter_states(const Chain& chain, View2D<const double> log_density, View2D<double> filtered,
                   std::span<double> likelihood, int threads, StopToken& stop) {
  const Walker walker(chain, log_density);
  const Index states = walker.states();
  const auto filter_one = [&](Index s, Index, Scratch& scratch) {
    const Index begin = walker.first(s), end = walker.first(s + 1);
    double& value = likelihood[static_cast<std::size_t>(s)];
    double* out = filtered.rows == 0 ? nullptr : filtered.row(begin);
    if (walker.mixes() && walker.forward(begin, end, out, value, scratch, stop)) return;
    if (out == nullptr) {
      scratch.lattice.resize(static_cast<std::size_t>((end - begin) * states));
      out = scratch.lattice.data();
      // The backward recursion tells whether anything was lost.
      scratch.pairs.resize(static_cast<std::size_t>(states * walker.width()));
      if (!walker.mixes() && walker.forward(begin, end, out, value, scratch, stop) &&
          walker.backward(begin, end, 1.0, out, scratch.pairs.data(), scratch, stop)) {
        return;
      }
    }
    value = walker.forward_in_logs(begin, end, out, scratch, stop);
    for (Index t = 0; t < end - begin; ++t) {
      double* row = out + t * states;
      const double total = walker.log_sum(row);
      for (Index j = 0; j < states; ++j) row[j] = total == impossible ? 0.0 : std::exp(row[j] - total);
    }
  };
  for_sequences(blocks_of(chain.sequences), walker.width(), threads, stop, filter_one);
}

void expect_states(const Chain& chain, View2D<const double> log_density, std::span<const double> weights,
                   const Expectations& out, int threads, StopToken& stop) {
  const Walker walker(chain, log_density);
  const Index states = walker.states(), width = walker.width();
  const std::vector<Index> firsts = blocks_of(chain.sequences);
  const std::size_t blocks = firsts.size() - 1, size = static_cast<std::size_t>(states * width);
  std::vector<double> pairs(blocks * size, 0.0);  // without the factor A(i, j)
  std::vector<double> exact(blocks * size, 0.0);  // of sequences that were done in logarithms
  for_sequences(firsts, width, threads, stop, [&](Index s, Index block, Scratch& scratch) {
    const Index begin = walker.first(s), end = walker.first(s + 1);
    const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(s)];
    double& value = out.likelihood[static_cast<std::size_t>(s)];
    double* posterior = out.posterior.row(begin);
    double* sums = pairs.data() + static_cast<std::size_t>(block) * size;
    // Sums of a sequence that fails half-way must not count: they are kept apart until it is done.
    scratch.pairs.assign(size, 0.0);
    if (walker.forward(begin, end, posterior, value, scratch, stop) &&
        walker.backward(begin, end, weight, posterior, scratch.pairs.data(), scratch, stop)) {
      for (std::size_t place = 0; place < size; ++place) sums[place] += scratch.pairs[place];
    } else {
      walker.expect_in_logs(begin, end, weight, posterior,
                            exact.data() + static_cast<std::size_t>(block) * size, value, scratch, stop);
    }
  });
  if (stop.requested()) return;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (Index i = 0; i < states; ++i) {
      for (Index j = 0; j < states; ++j) {
        const std::size_t place = block * size + static_cast<std::size_t>(i * width + j);
        out.pairs(i, j) += chain.transitions(i, j) * pairs[place] + exact[place];
      }
    }
  }
  for (std::size_t s = 0; s + 1 < chain.sequences.size(); ++s) {
    const double* row = out.posterior.row(static_cast<Index>(chain.sequences[s]));
    for (Index j = 0; j < states; ++j) out.first[static_cast<std::size_t>(j)] += row[j];
  }
}

void best_paths(const Chain& chain, View2D<const double> log_density, std::span<std::int64_t> path,
                std::span<double> value, int threads, StopToken& stop) {
  const Walker walker(chain, log_density);
  for_sequences(blocks_of(chain.sequences), walker.width(), threads, stop,
                [&](Index s, Index, Scratch& scratch) {
                  walker.best_path(walker.first(s), walker.first(s + 1), path,
                                   value[static_cast<std::size_t>(s)], scratch, stop);
                });
}

void best_values(const Chain& chain, View2D<const double> log_density, std::span<double> value, int threads,
                 StopToken& stop) {
  const Walker walker(chain, log_density);
  for_sequences(blocks_of(chain.sequences), walker.width(), threads, stop,
                [&](Index s, Index, Scratch& scratch) {
                  value[static_cast<std::size_t>(s)] =
                      walker.best_value(walker.first(s), walker.first(s + 1), scratch, stop);
                });
}

}  // namespace certus::graphical
