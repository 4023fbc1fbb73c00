// Minimization over all free variables at once. Pair steps need very many steps where the kernel matrix is
// ill-conditioned (columns of different sizes, large C); here the number of steps does not depend on it.
//
// In b_t = s_t a_t the objective has the gradient -v and the Hessian K. A direction d over the free variables
// with K d = v - c (one c per constraint, such that d keeps it) leads to their minimum. Where it leads out of
// the box, the step is projected back (b + t d - lambda, clipped, with lambda such that the constraint is
// kept), for the longest t of a few that gains more than going straight to the first bound does. Variables
// that meet their bounds stay there and are taken out of the factor of K. In directions without curvature,
// too, bounds end the step.
#pragma once

#include <span>
#include <vector>

#include "svm/free_factor.hpp"

namespace certus::svm {

struct FreeVariables {
  std::vector<double> kernel;      // size x size
  std::vector<double> v;           // kept up to date
  std::vector<double> rise, fall;  // by how much b may grow and fall; also kept up to date
  std::vector<int> group;          // the constraint it takes part in
  int groups = 1;                  // number of constraints: 0, 1 or 2
  std::vector<double> change;      // out: of b
  std::vector<int> met;            // out: 1 if b met its upper end, -1 its lower one, else 0

  Index size() const { return static_cast<Index>(v.size()); }
};

class JointSteps {
 public:
  // Steps until the v of each constraint's free variables differ by at most `tolerance`, no step helps, or
  // about `budget` multiplications were made. `precision` is that of the kernel values. Returns the number of
  // multiplications.
  double run(FreeVariables& free, double tolerance, double precision, double budget, int threads,
             StopToken& stop);

 private:
  enum class Outcome { minimum, bound, nothing };

  bool factor(const FreeVariables& free);
  void set_direction(const FreeVariables& free);
  void keep_sum(const FreeVariables& free, int group);
  Outcome advance(FreeVariables& free);
  bool advance_projected(FreeVariables& free, double longest, double shortest, double wanted);
  void project(const FreeVariables& free, double length);
  void multiply(const FreeVariables& free, const std::vector<double>& vector);
  void take(FreeVariables& free);
  void drop_met(const FreeVariables& free);
  double spread(const FreeVariables& free) const;

  FreeFactor factor_;
  double ridge_ = 0.0;
  double work_ = 0.0;
  int threads_ = 1;
  StopToken* stop_ = nullptr;
  std::vector<Index> members_;                // free variables in the order of the factor
  std::vector<double> direction_, step_;      // over all
  std::vector<double> curved_;                // K times one of them
  std::vector<double> solved_, constant_[2];  // over the factor's variables
  std::vector<double> gathered_;
};

}  // namespace certus::svm
