// The rows within a radius of each query: as lists or only counted. "Within" means reduced distance <= limit,
// with a limit per query. Lists hold rows by increasing number, whichever search found them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"
#include "geometry/k_best.hpp"
#include "geometry/metric.hpp"

namespace certus::geometry {

// Lists of unknown length, gathered in fixed blocks of queries and handed out once all are known.
class WithinLists {
 public:
  static constexpr Index block = 32;  // queries

  explicit WithinLists(Index queries)
      : counts_(static_cast<std::size_t>(queries), 0),
        blocks_(static_cast<std::size_t>(block_count(queries, block))) {}

  std::vector<Neighbor>& of_block(Index number) { return blocks_[static_cast<std::size_t>(number)]; }
  // What was appended to the query's block since `begin` is its list.
  void close(Index query, std::size_t begin) {
    std::vector<Neighbor>& all = of_block(query / block);
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(),
              [](const Neighbor& a, const Neighbor& b) { return a.row < b.row; });
    counts_[static_cast<std::size_t>(query)] = static_cast<Index>(all.size() - begin);
  }

  Index queries() const { return static_cast<Index>(counts_.size()); }
  Index total() const {
    Index sum = 0;
    for (const auto& block : blocks_) sum += static_cast<Index>(block.size());
    return sum;
  }
  // starts has queries() + 1 places, rows and distances have total() each. Releases the lists.
  void move_to(std::span<Index> starts, std::span<Index> rows, std::span<double> distances) {
    std::size_t at = 0;
    starts[0] = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) starts[i + 1] = starts[i] + counts_[i];
    for (auto& block : blocks_) {
      for (const Neighbor& found : block) {
        rows[at] = found.row;
        distances[at++] = found.distance;
      }
      std::vector<Neighbor>().swap(block);
    }
  }

 private:
  std::vector<Index> counts_;
  std::vector<std::vector<Neighbor>> blocks_;
};

// By comparing every pair.
template <class T>
void scan_within(View2D<const T> rows, View2D<const double> queries, const Metric& metric,
                 std::span<const double> limits, int threads, StopToken& stop, WithinLists& out);
template <class T>
void scan_counts(View2D<const T> rows, View2D<const double> queries, const Metric& metric,
                 std::span<const double> limits, int threads, StopToken& stop, std::span<Index> counts);

}  // namespace certus::geometry
