// Naive Bayes of counts and categories: sums of features per class, and the joint log-likelihood, which is
// linear in the counts,
//   log P(c | x) + const = constant_c + sum_j x_j weight_cj.
//
// Rows are grouped by class first, so that every class is summed by one block into its own row of the result:
// each stored value is visited once, whatever the number of classes, and the order of the sum is that of the
// rows for any number of threads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::bayes {

// A sparse table by rows.
template <class T, class I>
struct SparseRows {
  std::span<const T> values;
  std::span<const I> columns;
  std::span<const I> starts;  // rows + 1
};

// Rows of each class: class c has rows[starts[c]] .. rows[starts[c + 1] - 1]; an empty `weights` means 1.
struct RowsByClass {
  std::span<const Index> rows;
  std::span<const Index> starts;
  std::span<const double> weights;
};

// Adds w_i x_ij (or w_i [x_ij > threshold], unless the threshold is NaN) of every row i of class c to
// counts(c, j).
template <class T, class I>
void add_counts(const SparseRows<T, I>& x, const RowsByClass& groups, double threshold, View2D<double> counts,
                int threads, StopToken& stop);
template <class T>
void add_counts(View2D<const T> x, const RowsByClass& groups, double threshold, View2D<double> counts,
                int threads, StopToken& stop);

// out(i, c) = constant[c] + sum_j x_ij weights(j, c), with x_ij replaced by [x_ij > threshold] unless NaN.
template <class T, class I>
void linear_log_joint(const SparseRows<T, I>& x, View2D<const double> weights,
                      std::span<const double> constant, double threshold, View2D<double> out, int threads,
                      StopToken& stop);

// Logarithms of smoothed shares. With v_cj = counts(c, j), or others[j] - counts(c, j) where `others` are
// given,
//   out(c, j) = log(v_cj + alpha_j) - log(below_c),
// minus infinity where v_cj + alpha_j is 0. An empty `below` stands for the sums of the smoothed rows.
struct SmoothedShares {
  std::span<const double> others;  // features, or empty
  std::span<const double> alpha;   // features, or a single one
  std::span<const double> below;   // classes, or empty
};
void log_shares(View2D<const double> counts, const SmoothedShares& shares, View2D<double> out, int threads,
                StopToken& stop);

// Tables of categories: column j has its categories at offsets[j] .. offsets[j + 1] - 1 of the counts.
// Adds w_i to counts(offsets[j] + x_ij, c_i) for every row i and column j. Blocks of rows have tables of
// their own, added in order.
void add_categories(View2D<const std::int64_t> x, std::span<const std::int64_t> codes,
                    std::span<const double> weights, std::span<const std::int64_t> offsets,
                    View2D<double> counts, int threads, StopToken& stop);

// out(i, c) = constant[c] + sum_j table(offsets[j] + x_ij, c).
void category_log_joint(View2D<const std::int64_t> x, View2D<const double> table,
                        std::span<const std::int64_t> offsets, std::span<const double> constant,
                        View2D<double> out, int threads, StopToken& stop);

}  // namespace certus::bayes
