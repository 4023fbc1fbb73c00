#include "neighbors/votes.hpp"

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"

namespace certus::neighbors {
namespace {

constexpr Index block = 256;

// The classes of the neighbors of some queries, looked up all together: the lookups, which are far apart in
// memory, then wait for each other less.
void look_up(const Ballot& ballot, Index first, Index last, std::vector<Index>& labels) {
  labels.clear();
  for (Index query = first; query < last; ++query) {
    for (Index place = 0; place < ballot.neighbors.cols; ++place) {
      labels.push_back(ballot.classes[static_cast<std::size_t>(ballot.neighbors(query, place))]);
    }
  }
}

void count_votes(const Ballot& ballot, Index query, const Index* labels, double* totals) {
  for (Index place = 0; place < ballot.neighbors.cols; ++place) {
    totals[labels[place]] += ballot.weight(query, place);
  }
}

}  // namespace

void vote_winners(const Ballot& ballot, Index class_count, int threads, StopToken& stop,
                  std::span<Index> winner) {
  parallel_ranges(ballot.neighbors.rows, block, threads, stop, [&](Index first, Index last, int) {
    std::vector<double> totals(static_cast<std::size_t>(class_count), 0.0);
    std::vector<Index> all;
    look_up(ballot, first, last, all);
    const Index places = ballot.neighbors.cols;
    for (Index query = first; query < last; ++query) {
      const Index* labels = all.data() + (query - first) * places;
      count_votes(ballot, query, labels, totals.data());
      // Only classes of neighbors can win, and only their totals need to be wiped.
      Index best = labels[0];
      double most = totals[static_cast<std::size_t>(best)];
      for (Index place = 1; place < places; ++place) {
        const Index label = labels[place];
        const double total = totals[static_cast<std::size_t>(label)];
        const bool wins = total > most || (total == most && label < best);
        best = wins ? label : best;
        most = wins ? total : most;
      }
      winner[static_cast<std::size_t>(query)] = best;
      for (Index place = 0; place < places; ++place) totals[static_cast<std::size_t>(labels[place])] = 0.0;
    }
  });
}

void vote_shares(const Ballot& ballot, int threads, StopToken& stop, View2D<double> shares) {
  parallel_ranges(ballot.neighbors.rows, block, threads, stop, [&](Index first, Index last, int) {
    std::vector<Index> all;
    look_up(ballot, first, last, all);
    for (Index query = first; query < last; ++query) {
      double* totals = shares.row(query);
      std::fill(totals, totals + shares.cols, 0.0);
      count_votes(ballot, query, all.data() + (query - first) * ballot.neighbors.cols, totals);
      double sum = 0.0;
      for (Index label = 0; label < shares.cols; ++label) sum += totals[label];
      for (Index label = 0; label < shares.cols; ++label) totals[label] /= sum;
    }
  });
}

}  // namespace certus::neighbors
