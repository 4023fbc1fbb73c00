// Minimization over all free variables at once. Pair steps need very many steps where the kernel matrix is
// ill-conditioned (columns of different sizes, large C); here the number of steps does not depend on it.
//
// In b_t = s_t a_t the objective has the gradient -v and the Hessian K. A direction d over the free variables
// with K d = v - c (one c per constraint, such that d keeps it) leads to their minimum. A step ends there, or
// at the first bound that is met: that variable stays there and is taken out of the factor of K. In directions
// without curvature, too, a bound ends the step.
#pragma once

#include <span>
#include <vector>

#include "svm/free_factor.hpp"

namespace certus::svm {

struct FreeVariables {
  std::vector<double> kernel;           // size x size
  std::vector<double> v;                // kept up to date
  std::vector<double> rise, fall;       // by how much b may grow and fall; also kept up to date
  std::vector<int> group;               // the constraint it takes part in
  int groups = 1;                       // number of constraints: 0, 1 or 2
  std::vector<double> change;           // out: of b
  std::vector<int> met;                 // out: 1 if b met its upper end, -1 its lower one, else 0

  Index size() const { return static_cast<Index>(v.size()); }
};

class JointSteps {
 public:
  // Steps until the v of each constraint's free variables differ by at most `tolerance`, no step helps, or
  // about `budget` multiplications were made. Returns how many were made.
  double run(FreeVariables& free, double tolerance, double precision, double budget, int threads,
             StopToken& stop);

 private:
  void set_direction(const FreeVariables& free);
  double spread(const FreeVariables& free) const;
  Index advance(FreeVariables& free);

  FreeFactor factor_;
  std::vector<Index> members_;                    // free variables in the order of the factor
  std::vector<double> direction_, curved_;        // d and K d, over all
  std::vector<double> solved_, constant_[2];      // over the factor's variables
};

}  // namespace certus::svm
