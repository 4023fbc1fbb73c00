#include "cluster/medoids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include "core/parallel.hpp"

namespace certus::cluster {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Index columns_in_block = 256;

class Swaps {
 public:
  Swaps(View2D<const double> distances, std::span<const double> weights, StopToken& stop,
        std::span<std::int64_t> medoids)
      : distances_(distances),
        weights_(weights),
        stop_(stop),
        medoids_(medoids),
        first_(weights.size()),
        second_(weights.size()),
        near_(weights.size()),
        removal_(medoids.size()),
        change_(medoids.size()),
        is_medoid_(weights.size(), 0) {
    for (const std::int64_t row : medoids_) is_medoid_[static_cast<std::size_t>(row)] = 1;
    for (Index i = 0; i < distances_.rows; ++i) find_nearest(i);
    sum_removals();
  }

  MedoidResult run(std::int64_t most) {
    MedoidResult result;
    const Index n = distances_.rows;
    Index since = 0;
    for (std::int64_t tried = 0; since < n && tried < most * n && !stop_.poll(); ++tried, ++since) {
      const Index candidate = static_cast<Index>(tried % n);
      if (is_medoid_[static_cast<std::size_t>(candidate)]) continue;
      const auto [saved, place] = best_swap(candidate);
      if (saved < -1e-12 * total_) {
        make_swap(place, candidate);
        ++result.swaps;
        since = -1;
      }
    }
    result.settled = since >= n;
    result.cost = total_;
    return result;
  }

 private:
  void find_nearest(Index i) {
    const auto row = static_cast<std::size_t>(i);
    double first = infinite, second = infinite;
    std::size_t near = 0;
    for (std::size_t m = 0; m < medoids_.size(); ++m) {
      const double d = distances_(i, medoids_[m]);
      if (d < first) {
        second = first;
        first = d;
        near = m;
      } else if (d < second) {
        second = d;
      }
    }
    first_[row] = first, second_[row] = second, near_[row] = near;
  }

  // What removing each medoid costs, and the cost itself.
  void sum_removals() {
    std::fill(removal_.begin(), removal_.end(), 0.0);
    total_ = 0.0;
    for (std::size_t row = 0; row < weights_.size(); ++row) {
      total_ += weights_[row] * first_[row];
      removal_[near_[row]] += weights_[row] * (second_[row] - first_[row]);
    }
  }

  std::pair<double, std::size_t> best_swap(Index candidate) {
    std::copy(removal_.begin(), removal_.end(), change_.begin());
    double shared = 0.0;
    const double* to = distances_.row(candidate);  // distances are symmetric
    for (std::size_t row = 0; row < weights_.size(); ++row) {
      const double d = to[row];
      if (d < first_[row]) {
        shared += weights_[row] * (d - first_[row]);
        change_[near_[row]] += weights_[row] * (first_[row] - second_[row]);
      } else if (d < second_[row]) {
        change_[near_[row]] += weights_[row] * (d - second_[row]);
      }
    }
    const auto best = std::min_element(change_.begin(), change_.end());
    return {*best + shared, static_cast<std::size_t>(best - change_.begin())};
  }

  void make_swap(std::size_t place, Index candidate) {
    is_medoid_[static_cast<std::size_t>(medoids_[place])] = 0;
    is_medoid_[static_cast<std::size_t>(candidate)] = 1;
    medoids_[place] = candidate;
    const double* to = distances_.row(candidate);
    for (Index i = 0; i < distances_.rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const double d = to[i];
      if (near_[row] == place || d <= second_[row] || second_is_gone(row, place)) find_nearest(i);
    }
    sum_removals();
  }

  // Whether the second nearest medoid may have been the one that left: its distance is no longer known.
  bool second_is_gone(std::size_t row, std::size_t place) const {
    for (std::size_t m = 0; m < medoids_.size(); ++m) {
      if (m != place && m != near_[row] && distances_(static_cast<Index>(row), medoids_[m]) == second_[row])
        return false;
    }
    return true;
  }

  View2D<const double> distances_;
  std::span<const double> weights_;
  StopToken& stop_;
  std::span<std::int64_t> medoids_;
  std::vector<double> first_, second_;
  std::vector<std::size_t> near_;
  std::vector<double> removal_, change_;
  std::vector<char> is_medoid_;
  double total_ = 0.0;
};

// The sum of terms 0 .. n-1 on eight lanes: it depends on n and the terms alone.
template <class Term>
double summed(Index n, const Term& term) {
  double lanes[8] = {};
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    for (Index lane = 0; lane < 8; ++lane) lanes[lane] += term(i + lane);
  }
  double total = 0.0;
  for (const double lane : lanes) total += lane;
  for (; i < n; ++i) total += term(i);
  return total;
}

// A row with what it saves, or saved at an earlier step. Savings never grow as medoids are added (and neither
// do their computed sums, since every rounded operation is monotone), so a row is looked at again only while
// its old saving is the largest: the choice is that of looking at all rows, the first of equals.
struct Candidate {
  double saving;
  Index row;
  std::size_t step;

  bool operator<(const Candidate& other) const {
    return saving < other.saving || (saving == other.saving && row > other.row);
  }
};

}  // namespace

void build_medoids(View2D<const double> distances, std::span<const double> weights, StopToken& stop,
                   std::span<std::int64_t> medoids) {
  const Index n = distances.rows;
  Index where = 0;
  double least = infinite;
  for (Index j = 0; j < n && !stop.poll(); ++j) {
    const double* to = distances.row(j);
    const double cost = summed(n, [&](Index i) { return weights[static_cast<std::size_t>(i)] * to[i]; });
    if (cost < least) least = cost, where = j;
  }
  if (stop.requested() || medoids.empty()) return;
  std::vector<double> closest(distances.row(where), distances.row(where) + n);
  medoids[0] = where;
  std::priority_queue<Candidate> candidates;
  for (Index j = 0; j < n; ++j) {
    if (j != where) candidates.push({infinite, j, 0});
  }
  for (std::size_t step = 1; step < medoids.size(); ++step) {
    while (candidates.top().step != step) {
      if (stop.poll()) return;
      const Index j = candidates.top().row;
      const double* to = distances.row(j);
      const double saving = summed(n, [&](Index i) {
        const auto row = static_cast<std::size_t>(i);
        return weights[row] * std::max(0.0, closest[row] - to[i]);
      });
      candidates.pop();
      candidates.push({saving, j, step});
    }
    where = candidates.top().row;
    candidates.pop();
    medoids[step] = where;
    const double* to = distances.row(where);
    for (Index i = 0; i < n; ++i) {
      closest[static_cast<std::size_t>(i)] = std::min(closest[static_cast<std::size_t>(i)], to[i]);
    }
  }
}

MedoidResult swap_medoids(View2D<const double> distances, std::span<const double> weights, std::int64_t most,
                          StopToken& stop, std::span<std::int64_t> medoids) {
  if (medoids.size() == 1) {  // without a second medoid there is nothing to fall back on
    build_medoids(distances, weights, stop, medoids);
    MedoidResult result;
    result.settled = true;
    for (Index i = 0; i < distances.rows; ++i) {
      result.cost += weights[static_cast<std::size_t>(i)] * distances(i, medoids[0]);
    }
    return result;
  }
  return Swaps(distances, weights, stop, medoids).run(most);
}

void medoid_savings(View2D<const double> distances, std::span<const double> weights,
                    std::span<const double> lambda, int threads, StopToken& stop, std::span<double> rho) {
  parallel_ranges(distances.cols, columns_in_block, threads, stop, [&](Index first, Index last, int) {
    std::fill(rho.begin() + first, rho.begin() + last, 0.0);
    for (Index i = 0; i < distances.rows && !stop.poll(); ++i) {
      const double* to = distances.row(i);
      const double limit = lambda[static_cast<std::size_t>(i)], weight = weights[static_cast<std::size_t>(i)];
      for (Index j = first; j < last; ++j)
        rho[static_cast<std::size_t>(j)] += weight * std::min(0.0, to[j] - limit);
    }
  });
}

}  // namespace certus::cluster
