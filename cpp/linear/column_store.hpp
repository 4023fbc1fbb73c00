// Access to the columns of a table, dense (column-major) or compressed sparse, for coordinate descent.
//
// Rows are scaled by the roots of their weights beforehand. Centering is implicit: the centered column is
// x_j - mean_j root, and for a vector v with root'v = 0 its product with v is that of x_j itself.
#pragma once

#include <algorithm>
#include <span>

#include "core/vector_ops.hpp"
#include "core/view2d.hpp"
#include "linear/coordinate_descent.hpp"

namespace certus::linear {

template <class T>
struct DenseColumns {
  View2D<const T> x;  // columns contiguous

  Index rows() const { return x.rows; }
  Index cols() const { return x.cols; }
  double density() const { return 1.0; }

  double dot(Index j, const double* v) const {
    if constexpr (sizeof(T) == sizeof(float))
      return vector_ops().dot_fd(x.col(j), v, x.rows);
    else
      return vector_ops().dot_d(x.col(j), v, x.rows);
  }
  // v += a x_j
  void add(Index j, double a, double* v) const {
    if constexpr (sizeof(T) == sizeof(float))
      vector_ops().add_fd(a, x.col(j), v, x.rows);
    else
      vector_ops().add_d(a, x.col(j), v, x.rows);
  }
  // sum_i (x_ij - mean root_i)^2
  double centered_squares(Index j, double mean, std::span<const double> root, double) const {
    const T* column = x.col(j);
    double sum = 0.0;
    for (Index i = 0; i < x.rows; ++i) {
      const double part = static_cast<double>(column[i]) - mean * root[static_cast<std::size_t>(i)];
      sum += part * part;
    }
    return sum;
  }
};

template <class T, class I>
struct CompressedColumns {
  SparseColumns<T, I> x;
  Index row_count = 0;

  Index rows() const { return row_count; }
  Index cols() const { return static_cast<Index>(x.starts.size()) - 1; }
  double density() const {
    const double cells = static_cast<double>(rows()) * static_cast<double>(cols());
    return static_cast<double>(x.values.size()) / std::max(cells, 1.0);
  }

  double dot(Index j, const double* v) const {
    double sum = 0.0;
    for (auto e = begin(j); e < end(j); ++e) sum += static_cast<double>(x.values[e]) * v[x.rows[e]];
    return sum;
  }
  void add(Index j, double a, double* v) const {
    for (auto e = begin(j); e < end(j); ++e) v[x.rows[e]] += a * static_cast<double>(x.values[e]);
  }
  // The rows that are not stored contribute mean^2 times the rest of the total weight.
  double centered_squares(Index j, double mean, std::span<const double> root, double weight) const {
    double sum = 0.0, seen = 0.0;
    for (auto e = begin(j); e < end(j); ++e) {
      const double r = root[static_cast<std::size_t>(x.rows[e])];
      const double part = static_cast<double>(x.values[e]) - mean * r;
      sum += part * part;
      seen += r * r;
    }
    return sum + mean * mean * std::max(weight - seen, 0.0);
  }

 private:
  std::size_t begin(Index j) const { return static_cast<std::size_t>(x.starts[static_cast<std::size_t>(j)]); }
  std::size_t end(Index j) const {
    return static_cast<std::size_t>(x.starts[static_cast<std::size_t>(j) + 1]);
  }
};

// A table as the solvers see it.
template <class Store>
struct CenteredColumns {
  Store store;
  std::span<const double> mean;     // zeros without an intercept
  std::span<const double> root;     // roots of the weights, ones without
  std::span<const double> squares;  // squared lengths of the centered columns
  double weight = 0.0;              // sum of root^2

  Index rows() const { return store.rows(); }
  Index cols() const { return store.cols(); }
};

}  // namespace certus::linear
