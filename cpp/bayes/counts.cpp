#include "bayes/counts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bayes/count_ops.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "core/prefetch.hpp"
#include "core/vector_ops.hpp"

CERTUS_ISA_TABLE(certus::CountOps, count_ops)

namespace certus::bayes {
namespace {

constexpr Index rows_between_polls = 256;
constexpr int known_counts = 512;  // whose logarithms stay in the first cache
constexpr Index chunk = 512;       // features at a time

std::size_t at(Index place) { return static_cast<std::size_t>(place); }

double weight_of(std::span<const double> weights, Index row) {
  return weights.empty() ? 1.0 : weights[at(row)];
}

// Calls body(row, weight, sums of its class) for the rows of every class, a class per block.
template <class Body>
void each_class(const RowsByClass& groups, View2D<double> counts, int threads, StopToken& stop, Body&& body) {
  parallel_for(counts.rows, threads, stop, [&](Index c, int) {
    for (Index place = groups.starts[at(c)]; place < groups.starts[at(c + 1)]; ++place) {
      if (place % rows_between_polls == 0 && stop.poll()) return;
      const Index row = groups.rows[at(place)];
      body(row, weight_of(groups.weights, row), counts.row(c));
    }
  });
}

// The counts of a class, or what the other classes have, of n features.
const double* shared_counts(View2D<const double> counts, const SmoothedShares& shares, Index c, Index first,
                            Index n, double* buffer) {
  const double* own = counts.row(c) + first;
  if (shares.others.empty()) return own;
  for (Index j = 0; j < n; ++j) buffer[j] = std::max(shares.others[at(first + j)] - own[j], 0.0);
  return buffer;
}

// Sum of what a class has in all features, and of the alphas.
double smoothed_sum(View2D<const double> counts, const SmoothedShares& shares, Index c) {
  constexpr Index lanes = 8;
  double buffer[chunk];
  double sums[lanes] = {};
  for (Index first = 0; first < counts.cols; first += chunk) {
    const Index n = std::min(chunk, counts.cols - first);
    const double* values = shared_counts(counts, shares, c, first, n, buffer);
    Index j = 0;
    for (; j + lanes <= n; j += lanes)
      for (Index lane = 0; lane < lanes; ++lane) sums[lane] += values[j + lane];
    for (; j < n; ++j) sums[0] += values[j];
  }
  double alphas = 0.0;
  for (const double each : shares.alpha) alphas += each;
  if (shares.alpha.size() == 1) alphas *= static_cast<double>(counts.cols);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])) + alphas;
}

}  // namespace

template <class T, class I>
void add_counts(const SparseRows<T, I>& x, const RowsByClass& groups, double threshold, View2D<double> counts,
                int threads, StopToken& stop) {
  const bool binary = !std::isnan(threshold);
  each_class(groups, counts, threads, stop, [&](Index row, double weight, double* sums) {
    const auto first = static_cast<std::size_t>(x.starts[at(row)]);
    const auto last = static_cast<std::size_t>(x.starts[at(row + 1)]);
    if (binary) {
      for (std::size_t k = first; k < last; ++k)
        sums[x.columns[k]] += static_cast<double>(x.values[k]) > threshold ? weight : 0.0;
    } else {
      for (std::size_t k = first; k < last; ++k)
        sums[x.columns[k]] += weight * static_cast<double>(x.values[k]);
    }
  });
}

template <class T>
void add_counts(View2D<const T> x, const RowsByClass& groups, double threshold, View2D<double> counts,
                int threads, StopToken& stop) {
  const bool binary = !std::isnan(threshold);
  each_class(groups, counts, threads, stop, [&](Index row, double weight, double* sums) {
    const T* values = x.row(row);
    if (binary) {
      for (Index j = 0; j < x.cols; ++j) sums[j] += static_cast<double>(values[j]) > threshold ? weight : 0.0;
    } else {
      for (Index j = 0; j < x.cols; ++j) sums[j] += weight * static_cast<double>(values[j]);
    }
  });
}

template <class T, class I>
void linear_log_joint(const SparseRows<T, I>& x, View2D<const double> weights,
                      std::span<const double> constant, double threshold, View2D<double> out, int threads,
                      StopToken& stop) {
  const bool binary = !std::isnan(threshold);
  const Index classes = out.cols;
  const auto add = vector_ops().add_d;
  constexpr std::size_t ahead = 8;
  parallel_ranges(out.rows, 256, threads, stop, [&](Index first, Index last, int) {
    if (stop.poll()) return;
    for (Index i = first; i < last; ++i) {
      double* sums = out.row(i);
      std::copy(constant.begin(), constant.end(), sums);
      const auto last_value = static_cast<std::size_t>(x.starts[at(i + 1)]);
      for (auto k = static_cast<std::size_t>(x.starts[at(i)]); k < last_value; ++k) {
        if (k + ahead < x.columns.size()) {
          const double* coming = weights.row(static_cast<Index>(x.columns[k + ahead]));
          for (Index c = 0; c < classes; c += 8) prefetch_line(coming + c);
        }
        const double value = static_cast<double>(x.values[k]);
        const double factor = !binary ? value : value > threshold ? 1.0 : 0.0;
        add(factor, weights.row(static_cast<Index>(x.columns[k])), sums, classes);
      }
    }
  });
}

void log_shares(View2D<const double> counts, const SmoothedShares& shares, View2D<double> out, int threads,
                StopToken& stop) {
  // Most counts are small whole numbers: their logarithms are taken once.
  const bool one_alpha = shares.alpha.size() == 1;
  std::vector<double> logs(one_alpha ? known_counts : 0);
  for (std::size_t k = 0; k < logs.size(); ++k) logs[k] = std::log(static_cast<double>(k) + shares.alpha[0]);
  parallel_for(counts.rows, threads, stop, [&](Index c, int) {
    const double log_below =
        std::log(shares.below.empty() ? smoothed_sum(counts, shares, c) : shares.below[at(c)]);
    const auto share = [&](double log_above) {
      return std::isinf(log_above) && log_above < 0 ? log_above : log_above - log_below;
    };
    std::vector<double> known(logs);
    for (double& each : known) each = share(each);
    double buffer[chunk];
    for (Index first = 0; first < counts.cols; first += chunk) {
      const Index n = std::min(chunk, counts.cols - first);
      const double* values = shared_counts(counts, shares, c, first, n, buffer);
      double* found = out.row(c) + first;
      if (one_alpha && count_ops().look_up(values, n, known.data(), known_counts, found) == 0) continue;
      for (Index j = 0; j < n; ++j) {
        const bool is_known =
            one_alpha && values[j] >= 0 && values[j] < known_counts && values[j] == std::floor(values[j]);
        if (!is_known) found[j] = share(std::log(values[j] + shares.alpha[one_alpha ? 0 : at(first + j)]));
      }
    }
  });
}

void add_categories(View2D<const std::int64_t> x, std::span<const std::int64_t> codes,
                    std::span<const double> weights, std::span<const std::int64_t> offsets,
                    View2D<double> counts, int threads, StopToken& stop) {
  const Index classes = counts.cols;
  const Index size = counts.rows * classes;
  // At most 32 tables, and none that is longer than the rows it saves.
  const Index block_size =
      std::max<Index>({4096, block_count(x.rows, 32), size / std::max<Index>(x.cols, 1)});
  const Index blocks = block_count(x.rows, block_size);
  std::vector<std::vector<double>> tables(at(blocks));
  parallel_ranges(x.rows, block_size, threads, stop, [&](Index first, Index last, int) {
    auto& table = tables[at(first / block_size)];
    table.assign(at(size), 0.0);
    for (Index i = first; i < last; ++i) {
      if (i % rows_between_polls == 0 && stop.poll()) return;
      const double weight = weight_of(weights, i);
      const Index c = codes[at(i)];
      const std::int64_t* row = x.row(i);
      for (Index j = 0; j < x.cols; ++j) table[at((offsets[at(j)] + row[j]) * classes + c)] += weight;
    }
  });
  for (const auto& table : tables)
    for (std::size_t k = 0; k < table.size(); ++k) counts.data[k] += table[k];
}

void category_log_joint(View2D<const std::int64_t> x, View2D<const double> table,
                        std::span<const std::int64_t> offsets, std::span<const double> constant,
                        View2D<double> out, int threads, StopToken& stop) {
  parallel_ranges(x.rows, 1024, threads, stop, [&](Index first, Index last, int) {
    if (stop.poll()) return;
    for (Index i = first; i < last; ++i) {
      double* sums = out.row(i);
      std::copy(constant.begin(), constant.end(), sums);
      const std::int64_t* row = x.row(i);
      for (Index j = 0; j < x.cols; ++j) {
        const double* added = table.row(offsets[at(j)] + row[j]);
        for (Index c = 0; c < out.cols; ++c) sums[c] += added[c];
      }
    }
  });
}

#define CERTUS_SPARSE_COUNTS(T, I)                                                                         \
  template void add_counts<T, I>(const SparseRows<T, I>&, const RowsByClass&, double, View2D<double>, int, \
                                 StopToken&);                                                              \
  template void linear_log_joint<T, I>(const SparseRows<T, I>&, View2D<const double>,                      \
                                       std::span<const double>, double, View2D<double>, int, StopToken&);
CERTUS_SPARSE_COUNTS(float, std::int32_t)
CERTUS_SPARSE_COUNTS(float, std::int64_t)
CERTUS_SPARSE_COUNTS(double, std::int32_t)
CERTUS_SPARSE_COUNTS(double, std::int64_t)
#undef CERTUS_SPARSE_COUNTS
template void add_counts<float>(View2D<const float>, const RowsByClass&, double, View2D<double>, int,
                                StopToken&);
template void add_counts<double>(View2D<const double>, const RowsByClass&, double, View2D<double>, int,
                                 StopToken&);

}  // namespace certus::bayes
