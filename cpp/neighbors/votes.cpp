#include "neighbors/votes.hpp"

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"

namespace certus::neighbors {
namespace {

constexpr Index block = 1024;

void count_votes(const Ballot& ballot, Index query, double* totals) {
  for (Index place = 0; place < ballot.neighbors.cols; ++place) {
    totals[ballot.classes[static_cast<std::size_t>(ballot.neighbors(query, place))]] +=
        ballot.weight(query, place);
  }
}

}  // namespace

void vote_winners(const Ballot& ballot, Index class_count, int threads, StopToken& stop,
                  std::span<Index> winner) {
  parallel_ranges(ballot.neighbors.rows, block, threads, stop, [&](Index first, Index last, int) {
    std::vector<double> totals(static_cast<std::size_t>(class_count), 0.0);
    for (Index query = first; query < last; ++query) {
      count_votes(ballot, query, totals.data());
      // Only classes of neighbors can win, and only their totals need to be wiped.
      Index best = -1;
      for (Index place = 0; place < ballot.neighbors.cols; ++place) {
        const Index label = ballot.classes[static_cast<std::size_t>(ballot.neighbors(query, place))];
        const double total = totals[static_cast<std::size_t>(label)];
        const double most = best < 0 ? 0.0 : totals[static_cast<std::size_t>(best)];
        if (best < 0 || total > most || (total == most && label < best)) best = label;
      }
      winner[static_cast<std::size_t>(query)] = best;
      for (Index place = 0; place < ballot.neighbors.cols; ++place) {
        totals[static_cast<std::size_t>(
            ballot.classes[static_cast<std::size_t>(ballot.neighbors(query, place))])] = 0.0;
      }
    }
  });
}

void vote_shares(const Ballot& ballot, int threads, StopToken& stop, View2D<double> shares) {
  parallel_ranges(ballot.neighbors.rows, block, threads, stop, [&](Index first, Index last, int) {
    for (Index query = first; query < last; ++query) {
      double* totals = shares.row(query);
      std::fill(totals, totals + shares.cols, 0.0);
      count_votes(ballot, query, totals);
      double sum = 0.0;
      for (Index label = 0; label < shares.cols; ++label) sum += totals[label];
      for (Index label = 0; label < shares.cols; ++label) totals[label] /= sum;
    }
  });
}

}  // namespace certus::neighbors
