// What the rules of online linear learners are given: a problem's arrays and a row.
#pragma once

#include "online/linear_stream.hpp"

namespace certus::online {

inline constexpr double steepest = 1e12;      // steps along steeper losses are cut, against overflow
inline constexpr double largest_log = 200.0;  // exponents of entropic weights are taken back before it

// The vectors of one problem.
struct Problem {
  const Options& options;
  double* vectors;
  Index stride;
  double* numbers;
  View2D<double> matrix;
  double share = 1.0;  // how much of the loss of a row counts

  double* vector(int field) const { return vectors + field * stride; }
  double& operator[](Numbers::Name name) const { return numbers[name]; }
};

// One row of a table.
template <class Rows>
struct Row {
  const Rows& x;
  Index at;

  double dot(const double* w) const { return x.dot(at, w); }
  void add(double a, double* w) const { x.add(at, a, w); }
  double square() const { return x.square(at); }
  // visit(column, value) for every entry and the constant.
  template <class Visit>
  void each(Visit&& visit) const {
    x.each(at, visit);
    if (x.constant() != 0.0) visit(x.cols(), x.constant());
  }
};

}  // namespace certus::online
