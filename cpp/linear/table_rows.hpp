// Rows of a table for methods that go row by row: dense rows or compressed sparse rows behind one small
// interface, each with a constant last entry (0: none) that stands for the penalized intercept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/prefetch.hpp"
#include "core/vector_ops.hpp"
#include "core/view2d.hpp"
#include "linear/sparse_product.hpp"

namespace certus::linear {

// Contiguous rows of width cols; coefficients have cols + 1 entries, the last one for the constant.
template <class T>
class DenseRows {
 public:
  DenseRows(View2D<const T> x, double constant) : x_(x), constant_(constant), ops_(vector_ops()) {}
  Index rows() const { return x_.rows; }
  Index cols() const { return x_.cols; }
  double constant() const { return constant_; }

  double dot(Index i, const double* w) const {
    const double tail = constant_ * w[x_.cols];
    if constexpr (std::is_same_v<T, float>) {
      return ops_.dot_fd(x_.row(i), w, x_.cols) + tail;
    } else {
      return ops_.dot_d(x_.row(i), w, x_.cols) + tail;
    }
  }
  void add(Index i, double a, double* w) const {
    if constexpr (std::is_same_v<T, float>) {
      ops_.add_fd(a, x_.row(i), w, x_.cols);
    } else {
      ops_.add_d(a, x_.row(i), w, x_.cols);
    }
    w[x_.cols] += a * constant_;
  }
  double square(Index i) const {
    const double tail = constant_ * constant_;
    if constexpr (std::is_same_v<T, float>) {
      return ops_.dot_f(x_.row(i), x_.row(i), x_.cols) + tail;
    } else {
      return ops_.dot_d(x_.row(i), x_.row(i), x_.cols) + tail;
    }
  }
  const T* values(Index i) const { return x_.row(i); }
  // visit(column, value) for every entry, without the constant.
  template <class Visit>
  void each(Index i, Visit&& visit) const {
    const T* row = x_.row(i);
    for (Index j = 0; j < x_.cols; ++j) visit(j, static_cast<double>(row[j]));
  }
  // Asks for a row that will be needed soon.
  void prefetch(Index i) const {
    const char* at = reinterpret_cast<const char*>(x_.row(i));
    const Index bytes = std::min<Index>(x_.cols * static_cast<Index>(sizeof(T)), 1024);
    for (Index offset = 0; offset < bytes; offset += 64) prefetch_line(at + offset);
    prefetch_line(at + bytes - 1);  // rows need not begin with a line
  }

 private:
  View2D<const T> x_;
  double constant_;
  const VectorOps& ops_;
};

template <class T, class I>
class CompressedRows {
 public:
  CompressedRows(SparseRows<T, I> x, Index cols, double constant) : x_(x), cols_(cols), constant_(constant) {}
  Index rows() const { return static_cast<Index>(x_.starts.size()) - 1; }
  Index cols() const { return cols_; }
  double constant() const { return constant_; }

  double dot(Index i, const double* w) const {
    double even = 0.0, odd = 0.0;
    auto at = begin(i);
    const auto last = end(i);
    for (; at + 1 < last; at += 2) {
      even += static_cast<double>(x_.values[at]) * w[column(at)];
      odd += static_cast<double>(x_.values[at + 1]) * w[column(at + 1)];
    }
    if (at < last) even += static_cast<double>(x_.values[at]) * w[column(at)];
    return even + odd + constant_ * w[cols_];
  }
  void add(Index i, double a, double* w) const {
    for (auto at = begin(i); at < end(i); ++at) w[column(at)] += a * static_cast<double>(x_.values[at]);
    w[cols_] += a * constant_;
  }
  double square(Index i) const {
    double sum = constant_ * constant_;
    for (auto at = begin(i); at < end(i); ++at) {
      sum += static_cast<double>(x_.values[at]) * static_cast<double>(x_.values[at]);
    }
    return sum;
  }
  template <class Visit>
  void each(Index i, Visit&& visit) const {
    for (auto at = begin(i); at < end(i); ++at) {
      visit(static_cast<Index>(x_.columns[at]), static_cast<double>(x_.values[at]));
    }
  }
  // The entries of a row as they are stored.
  const T* values(Index i) const { return x_.values.data() + begin(i); }
  const I* columns(Index i) const { return x_.columns.data() + begin(i); }
  Index count(Index i) const { return static_cast<Index>(end(i) - begin(i)); }

  void prefetch(Index i) const {
    const auto at = begin(i);
    if (at == end(i)) return;
    prefetch_line(&x_.values[at]);
    prefetch_line(&x_.columns[at]);
  }

 private:
  std::size_t begin(Index i) const {
    return static_cast<std::size_t>(x_.starts[static_cast<std::size_t>(i)]);
  }
  std::size_t end(Index i) const {
    return static_cast<std::size_t>(x_.starts[static_cast<std::size_t>(i) + 1]);
  }
  std::size_t column(std::size_t at) const { return static_cast<std::size_t>(x_.columns[at]); }

  SparseRows<T, I> x_;
  Index cols_;
  double constant_;
};

using SingleShort = CompressedRows<float, std::int32_t>;
using SingleLong = CompressedRows<float, std::int64_t>;
using DoubleShort = CompressedRows<double, std::int32_t>;
using DoubleLong = CompressedRows<double, std::int64_t>;

// Instantiates a kernel for every kind of table: MACRO(Rows) spells the explicit instantiation.
#define CERTUS_FOR_EVERY_TABLE(MACRO) \
  MACRO(DenseRows<float>)             \
  MACRO(DenseRows<double>)            \
  MACRO(SingleShort)                  \
  MACRO(SingleLong)                   \
  MACRO(DoubleShort)                  \
  MACRO(DoubleLong)

}  // namespace certus::linear
