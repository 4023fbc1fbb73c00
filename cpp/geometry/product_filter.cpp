#include "geometry/product_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/parallel.hpp"
#include "geometry/group_access.hpp"
#include "geometry/panel_ops.hpp"
#include "geometry/scan.hpp"

namespace certus::geometry {
namespace {

constexpr double unit = 0x1.0p-24;            // rounding unit of single precision
constexpr Index near_columns = 256;           // of a panel that stay in the nearest cache
constexpr Index near_cells = Index{1} << 16;  // of the queries that stay in a near cache

// E of the proof; infinite where its assumptions fail, so that the query is scanned.
double error_bound(Index columns, double query_norm) {
  if (static_cast<double>(columns) * unit > 0x1.0p-8 || !(query_norm < 0x1.0p40)) {
    return std::numeric_limits<double>::infinity();
  }
  const double d = static_cast<double>(columns);
  return (d + 8.0) * unit * (1.0 + query_norm) * (1.0 + query_norm) + 4.0 * d * 0x1.0p-126;
}

// At least the value, and at most a few units in the last place more.
float rounded_up(double value) {
  const auto near = static_cast<float>(value);
  return near + (std::abs(near) * 0x1.0p-22F + std::numeric_limits<float>::min());
}

}  // namespace

// The rows that may still be among the k nearest of one query.
template <class T>
class ProductFilter<T>::Shortlist {
 public:
  void start(Index k, double margin) {
    k_ = static_cast<std::size_t>(k);
    few_ = k <= 24;
    capacity_ = std::max<std::size_t>(24, few_ ? 96 : 4 * k_);
    most_ = std::max<std::size_t>(128, capacity_);
    margin_ = margin;
    items_.clear();
    items_.reserve(most_);
    nearest_.clear();
    overflowed_ = !(margin < std::numeric_limits<double>::infinity());
    limit_ = overflowed_ ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  }

  float limit() const { return limit_; }
  bool overflowed() const { return overflowed_; }

  void add(float value, Index row) {
    if (!(value <= limit_)) return;  // the limit may have sunk since the panel was looked through
    items_.push_back({value, static_cast<std::int32_t>(row)});
    if (few_) insert(value);
    if (items_.size() >= capacity_) tighten();
  }

  std::span<const Candidate> finish() {
    if (items_.size() > k_) tighten();
    return items_;
  }

 private:
  // Keeps the k smallest values in order, so that the limit follows at once.
  void insert(float value) {
    if (nearest_.size() < k_) {
      nearest_.push_back(value);
    } else if (!(value < nearest_.back())) {
      return;
    }
    std::size_t hole = nearest_.size() - 1;
    for (; hole > 0 && value < nearest_[hole - 1]; --hole) nearest_[hole] = nearest_[hole - 1];
    nearest_[hole] = value;
    if (nearest_.size() == k_) limit_ = limit_above(nearest_.back());
  }

  float limit_above(float kth) const { return rounded_up(static_cast<double>(kth) + 2.0 * margin_); }

  void tighten() {
    if (!few_) {
      const auto kth = items_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
      std::nth_element(items_.begin(), kth, items_.end(),
                       [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
      limit_ = limit_above(kth->value);
    }
    std::erase_if(items_, [this](const Candidate& item) { return item.value > limit_; });
    if (items_.size() <= capacity_ * 3 / 4) return;
    capacity_ = std::min(2 * capacity_, most_);  // many rows are about as near as the k-th
    if (items_.size() > capacity_ * 3 / 4) {
      overflowed_ = true;
      limit_ = -std::numeric_limits<float>::infinity();  // nothing more comes in
    }
  }

  std::size_t k_ = 0;
  bool few_ = false;
  std::size_t capacity_ = 0;  // a short list is tightened often, so that few rows come in
  std::size_t most_ = 0;
  double margin_ = 0.0;
  float limit_ = 0.0F;
  bool overflowed_ = false;
  std::vector<Candidate> items_;
  std::vector<float> nearest_;  // the k smallest values, if k is small
};

template <class T>
struct ProductFilter<T>::Scratch {
  std::vector<float> query;      // one, scaled
  AlignedVector<float> tiles;    // all of a block, in tiles
  AlignedVector<float> sums;     // queries x panel_rows
  std::vector<float> limits;     // one per query
  std::vector<Shortlist> lists;  // one per query
  std::vector<std::int32_t> hits;
  std::vector<T> groups;  // candidate rows of one query
  std::vector<double> found;
  std::vector<Index> overflowed;
};

template <class T>
ProductFilter<T>::ProductFilter(View2D<const T> rows, int threads, StopToken& stop)
    : rows_(rows.rows),
      columns_(rows.cols),
      center_(static_cast<std::size_t>(rows.cols), 0.0),
      scaled_(static_cast<std::size_t>(block_count(rows.rows, panel_rows) * panel_rows * rows.cols), 0.0F),
      norms_(static_cast<std::size_t>(block_count(rows.rows, panel_rows) * panel_rows),
             std::numeric_limits<float>::infinity()) {
  constexpr Index block = 4096;
  // Any center will do, so the mean of some evenly spaced rows is enough.
  const Index sampled = std::min(rows_, block);
  for (Index i = 0; i < sampled; ++i) {
    const T* row = rows.row(i * rows_ / sampled);
    for (Index j = 0; j < columns_; ++j) {
      center_[static_cast<std::size_t>(j)] += static_cast<double>(row[j]) / static_cast<double>(sampled);
    }
  }
  const double largest = largest_squared_norm(rows, threads, stop);
  const double radius = std::sqrt(largest) * (1.0 + 0x1.0p-20);  // certainly not less than r
  usable_ = radius > 0x1.0p-400 && radius < 0x1.0p400;
  if (!usable_) return;
  scale_ = 1.0 / radius;
  parallel_ranges(rows_, block, threads, stop, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      float* const lane = scaled_.data() + i / panel_rows * panel_rows * columns_ + i % panel_rows;
      double sum = 0.0;
      for (Index j = 0; j < columns_; ++j) {
        const double value = static_cast<double>(rows(i, j)) - center_[static_cast<std::size_t>(j)];
        const auto z = static_cast<float>(value * scale_);
        lane[j * panel_rows] = z;
        sum += static_cast<double>(z) * static_cast<double>(z);
      }
      norms_[static_cast<std::size_t>(i)] = static_cast<float>(sum);
    }
  });
}

template <class T>
double ProductFilter<T>::largest_squared_norm(View2D<const T> rows, int threads, StopToken& stop) const {
  constexpr Index block = 4096;
  const auto larger = [](double a, double b) { return !(b <= a) ? b : a; };  // NaN stays
  return ordered_reduce(
      block_count(rows_, block), threads, stop, 0.0,
      [&](Index b) {
        double most = 0.0;
        for (Index i = b * block; i < std::min(rows_, (b + 1) * block); ++i) {
          double sum = 0.0;
          for (Index j = 0; j < columns_; ++j) {
            const double value = static_cast<double>(rows(i, j)) - center_[static_cast<std::size_t>(j)];
            sum += value * value;
          }
          most = larger(most, sum);
        }
        return most;
      },
      larger);
}

// Writes -2 z and returns E.
template <class T>
double ProductFilter<T>::prepare_query(const double* query, float* scaled) const {
  double sum = 0.0;
  for (Index j = 0; j < columns_; ++j) {
    const double value = (query[j] - center_[static_cast<std::size_t>(j)]) * scale_;
    sum += value * value;
    scaled[j] = -2.0F * static_cast<float>(value);
  }
  const double bound = error_bound(columns_, std::sqrt(sum) * (1.0 + 0x1.0p-20));
  if (!(bound < std::numeric_limits<double>::infinity())) std::fill(scaled, scaled + columns_, 0.0F);
  return bound;
}

// Puts the queries of a block into tiles, with empty lists of candidates.
template <class T>
void ProductFilter<T>::prepare_block(View2D<const double> queries, Index k, Scratch& scratch) const {
  const Index padded = block_count(queries.rows, tile_queries) * tile_queries;
  scratch.query.resize(static_cast<std::size_t>(columns_));
  scratch.tiles.assign(static_cast<std::size_t>(padded * columns_), 0.0F);
  scratch.sums.resize(static_cast<std::size_t>(padded * panel_rows));
  scratch.hits.resize(scratch.sums.size());
  scratch.limits.resize(static_cast<std::size_t>(queries.rows));
  scratch.lists.resize(std::max(scratch.lists.size(), scratch.limits.size()));
  for (Index i = 0; i < queries.rows; ++i) {
    const double margin = prepare_query(queries.row(i), scratch.query.data());
    float* const lane = scratch.tiles.data() + i / tile_queries * tile_queries * columns_ + i % tile_queries;
    for (Index j = 0; j < columns_; ++j) lane[j * tile_queries] = scratch.query[static_cast<std::size_t>(j)];
    Shortlist& list = scratch.lists[static_cast<std::size_t>(i)];
    list.start(k, margin);
    scratch.limits[static_cast<std::size_t>(i)] = list.limit();
  }
}

template <class T>
void ProductFilter<T>::filter_block(View2D<const double> queries, Index k, StopToken& stop,
                                    Scratch& scratch) const {
  prepare_block(queries, k, scratch);
  for (Index first = 0; first < rows_ && !stop.poll(); first += panel_rows) {
    const float* const panel = scaled_.data() + first * columns_;
    const float* const norms = norms_.data() + first;
    std::fill(scratch.sums.begin(), scratch.sums.end(), 0.0F);
    for (Index begin = 0; begin < columns_; begin += near_columns) {
      const Index columns = std::min(near_columns, columns_ - begin);
      for (Index query = 0; query < queries.rows; query += tile_queries) {
        panel_ops().add_products(panel + begin * panel_rows,
                                 scratch.tiles.data() + query * columns_ + begin * tile_queries, columns,
                                 scratch.sums.data() + query * panel_rows);
      }
    }
    const Index found = panel_ops().at_most(scratch.sums.data(), norms, scratch.limits.data(), queries.rows,
                                            scratch.hits.data());
    for (Index hit = 0; hit < found; ++hit) {
      const std::int32_t place = scratch.hits[static_cast<std::size_t>(hit)];
      const Index row = place % panel_rows, query = place / panel_rows;
      if (first + row >= rows_) continue;
      Shortlist& list = scratch.lists[static_cast<std::size_t>(query)];
      list.add(scratch.sums[static_cast<std::size_t>(place)] + norms[row], first + row);
      scratch.limits[static_cast<std::size_t>(query)] = list.limit();
    }
  }
}

// Direct distances of the candidates of queries first .. last-1, and a scan where the shortlist overflowed.
template <class T>
Index ProductFilter<T>::finish_block(View2D<const T> rows, View2D<const double> queries, Index first,
                                     Index last, StopToken& stop, Scratch& scratch, NeighborTable out) const {
  const Metric metric{MetricKind::squared_euclidean, 2.0, nullptr};
  scratch.overflowed.clear();
  KBest best(out.rows.cols);
  for (Index i = first; i < last; ++i) {
    Shortlist& list = scratch.lists[static_cast<std::size_t>(i - first)];
    const auto candidates = list.finish();
    if (list.overflowed()) {
      scratch.overflowed.push_back(i);
      continue;
    }
    const auto count = static_cast<Index>(candidates.size());
    const Index groups = block_count(count, lanes);
    scratch.groups.resize(static_cast<std::size_t>(groups * lanes * columns_));
    scratch.found.resize(static_cast<std::size_t>(groups * lanes));
    fill_groups(
        rows, count,
        [candidates](Index slot) {
          return static_cast<Index>(candidates[static_cast<std::size_t>(slot)].row);
        },
        scratch.groups.data());
    distances(metric, queries.row(i), scratch.groups.data(), columns_, groups, scratch.found.data());
    for (Index slot = 0; slot < count; ++slot) {
      best.offer(scratch.found[static_cast<std::size_t>(slot)],
                 candidates[static_cast<std::size_t>(slot)].row);
    }
    best.write(out.distances.row(i), out.rows.row(i));
  }
  scan_some(rows, queries, std::span<const Index>(scratch.overflowed), metric, stop, out);
  return static_cast<Index>(scratch.overflowed.size());
}

template <class T>
Index ProductFilter<T>::query(View2D<const T> rows, View2D<const double> queries, int threads,
                              StopToken& stop, NeighborTable out) const {
  const Metric metric{MetricKind::squared_euclidean, 2.0, nullptr};
  const Index k = out.rows.cols;
  if (!usable_ || k > rows_ / 4) {
    scan(rows, queries, metric, threads, stop, out);
    return queries.rows;
  }
  // Equal blocks of whole tiles, a multiple of four of them, so that several threads end together.
  const Index most = std::clamp<Index>(near_cells / columns_, 4 * tile_queries, 32 * tile_queries);
  const Index blocks = 4 * block_count(queries.rows, 4 * most);
  const Index block = block_count(block_count(queries.rows, blocks), tile_queries) * tile_queries;
  std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(1, threads)));
  std::vector<Index> scanned(scratch.size(), 0);
  parallel_ranges(queries.rows, block, threads, stop, [&](Index first, Index last, int worker) {
    Scratch& own = scratch[static_cast<std::size_t>(worker)];
    filter_block(queries.rows_from(first, last - first), k, stop, own);
    if (stop.requested()) return;
    scanned[static_cast<std::size_t>(worker)] += finish_block(rows, queries, first, last, stop, own, out);
  });
  return std::accumulate(scanned.begin(), scanned.end(), Index{0});
}

template class ProductFilter<float>;
template class ProductFilter<double>;

}  // namespace certus::geometry
