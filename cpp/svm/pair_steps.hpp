// Pairwise optimization (SMO) of the variables of a few rows, whose kernel matrix fits into the cache.
//
// Each step takes the variable that most wants to rise and, by the second-order rule (Fan, Chen, Lin 2005,
// "Working set selection using second order information"), the partner with the largest decrease
// (v_i - v_j)^2 / (k_ii + k_jj - 2 k_ij), and minimizes exactly over the two within their boxes. Without
// intercept a step moves one variable.
#pragma once

#include <vector>

#include "core/stop.hpp"
#include "svm/kernel_ops.hpp"
#include "svm/problem.hpp"

namespace certus::svm {

template <class T>
class PairSteps {
 public:
  // Takes over the variables of `members` (rows of the problem); `kernel` is their kernel matrix, row-major.
  void load(const Problem& problem, std::span<const Index> members, std::span<const T> kernel,
            std::span<const double> diagonal, std::span<const double> alpha, std::span<const double> scores);
  // Steps until the largest violation is at most `tolerance` or `limit` steps were made; returns their
  // number.
  std::int64_t run(double tolerance, std::int64_t limit, StopToken& stop);
  // Writes the variables back; change[k] is by how much sum s_t a_t of the k-th row changed.
  void store(std::span<const Index> members, std::span<double> alpha, std::span<double> change) const;

  const std::vector<double>& scores() const { return scores_; }
  double violation() const { return violation_; }

 private:
  struct Pair {
    Index up = -1, down = -1;
    double distance = 0.0;  // v_up - v_down
    double gain = 0.0;
  };

  Pair choose_pair();
  Pair choose_single();
  void step(const Pair& pair);
  void set_bounds(Index variable);
  double move(Index variable, double amount);
  double room(Index variable, bool rising) const;

  Bias bias_ = Bias::one;
  Index size_ = 0;    // rows
  Index copies_ = 1;  // variables per row
  const T* kernel_ = nullptr;
  std::vector<double> diagonal_, scores_, alpha_, upper_, offset_, start_;
  std::vector<std::int8_t> sign_;
  std::vector<double> up_[2],
      low_[2];  // offset where the variable may rise (fall), else -inf (+inf); per group
  UpMost top_;  // the largest up - scores, if the last step found it on its way
  bool has_top_ = false;
  double violation_ = 0.0;
};

}  // namespace certus::svm
