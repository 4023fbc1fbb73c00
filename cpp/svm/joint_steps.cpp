#include "svm/joint_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/blas.hpp"
#include "core/vector_ops.hpp"

namespace certus::svm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_full_steps = 4;  // each mends the rounding errors of the one before
constexpr int most_lengths = 6;     // tried with projection, each a quarter of the one before
constexpr int bisections = 100;
constexpr double enough_work = 3.0;  // a run may cost as much as so many factorizations

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return vector_ops().dot_d(a.data(), b.data(), static_cast<Index>(a.size()));
}

}  // namespace

bool JointSteps::factor(const FreeVariables& free) {
  const std::size_t size = members_.size(), all = free.v.size();
  gathered_.resize(size * size);
  for (std::size_t r = 0; r < size; ++r) {
    const double* line = free.kernel.data() + at(members_[r]) * all;
    for (std::size_t c = 0; c < size; ++c) gathered_[r * size + c] = line[members_[c]];
  }
  const auto rows = static_cast<double>(size);
  work_ += rows * rows * rows / 3.0;
  return factor_.factor(gathered_, static_cast<Index>(size), ridge_, threads_, *stop_);
}

// With M the inverse of the factor's matrix: d = M (v - E c), where the columns of E mark the constraints and
// E'd = 0.
void JointSteps::set_direction(const FreeVariables& free) {
  const std::size_t size = members_.size();
  solved_.resize(size);
  for (std::size_t k = 0; k < size; ++k) solved_[k] = free.v[at(members_[k])];
  factor_.solve(solved_);
  double matrix[2][2] = {{1.0, 0.0}, {0.0, 1.0}}, right[2] = {0.0, 0.0};
  for (int g = 0; g < free.groups; ++g) {
    constant_[g].resize(size);
    for (std::size_t k = 0; k < size; ++k) constant_[g][k] = free.group[at(members_[k])] == g ? 1.0 : 0.0;
    factor_.solve(constant_[g]);
    matrix[0][g] = matrix[1][g] = 0.0;
    for (std::size_t k = 0; k < size; ++k) {
      const int own = free.group[at(members_[k])];
      matrix[own][g] += constant_[g][k];
      right[g] += own == g ? solved_[k] : 0.0;
    }
    if (!(matrix[g][g] > 0.0)) matrix[g][g] = 1.0;  // a constraint without free variables
  }
  const double determinant = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0];
  const double c[2] = {(right[0] * matrix[1][1] - right[1] * matrix[0][1]) / determinant,
                       (right[1] * matrix[0][0] - right[0] * matrix[1][0]) / determinant};
  std::fill(direction_.begin(), direction_.end(), 0.0);
  for (std::size_t k = 0; k < size; ++k) {
    double value = solved_[k];
    for (int g = 0; g < free.groups; ++g) value -= c[g] * constant_[g][k];
    direction_[at(members_[k])] = value;
  }
  for (int g = 0; g < free.groups; ++g) keep_sum(free, g);
  work_ += 2.0 * (1.0 + free.groups) * static_cast<double>(size) * static_cast<double>(size);
}

// Takes away what rounding leaves of the direction's sum over the variables of a constraint.
void JointSteps::keep_sum(const FreeVariables& free, int group) {
  double sum = 0.0, count = 0.0;
  for (const Index t : members_) {
    if (free.group[at(t)] == group) sum += direction_[at(t)], count += 1.0;
  }
  for (const Index t : members_) {
    if (free.group[at(t)] == group) direction_[at(t)] = count > 1.0 ? direction_[at(t)] - sum / count : 0.0;
  }
}

double JointSteps::spread(const FreeVariables& free) const {
  double largest[2] = {-infinity, -infinity}, smallest[2] = {infinity, infinity};
  for (const Index t : members_) {
    const int g = free.group[at(t)];
    largest[g] = std::max(largest[g], free.v[at(t)]);
    smallest[g] = std::min(smallest[g], free.v[at(t)]);
  }
  if (free.groups == 0) return std::max(largest[0], -smallest[0]);
  return std::max(largest[0] - smallest[0], largest[1] - smallest[1]);
}

void JointSteps::multiply(const FreeVariables& free, const std::vector<double>& vector) {
  gemv_n(free.size(), free.size(), 1.0, free.kernel.data(), free.size(), vector.data(), 0.0, curved_.data());
  work_ += static_cast<double>(free.size()) * static_cast<double>(free.size());
}

// The step to the point of the box that projecting b + length d gives: clip(length d - lambda), with lambda
// per constraint by bisection.
void JointSteps::project(const FreeVariables& free, double length) {
  std::fill(step_.begin(), step_.end(), 0.0);
  const auto clipped = [&](Index t, double lambda) {
    return std::clamp(length * direction_[at(t)] - lambda, -free.fall[at(t)], free.rise[at(t)]);
  };
  double reach = 0.0;
  for (const Index t : members_) reach = std::max(reach, std::abs(length * direction_[at(t)]));
  for (int g = 0; g < std::max(free.groups, 1); ++g) {
    double below = free.groups == 0 ? 0.0 : -2.0 * reach, above = -below;
    for (int k = 0; k < bisections && below < above; ++k) {
      const double middle = 0.5 * (below + above);
      if (middle == below || middle == above) break;
      double sum = 0.0;
      for (const Index t : members_) {
        if (free.group[at(t)] == g) sum += clipped(t, middle);
      }
      (sum > 0.0 ? below : above) = middle;
    }
    for (const Index t : members_) {
      if (free.group[at(t)] == g) step_[at(t)] = clipped(t, above);
    }
  }
}

// Takes over `step_`, of which `curved_` is the product with K.
void JointSteps::take(FreeVariables& free) {
  for (const Index t : members_) {
    const double moved = step_[at(t)];
    if (moved != 0.0 && moved >= free.rise[at(t)]) free.met[at(t)] = 1;
    if (moved != 0.0 && moved <= -free.fall[at(t)]) free.met[at(t)] = -1;
    free.change[at(t)] += moved;
    free.rise[at(t)] = std::max(0.0, free.rise[at(t)] - moved);
    free.fall[at(t)] = std::max(0.0, free.fall[at(t)] + moved);
  }
  for (std::size_t t = 0; t < free.v.size(); ++t) free.v[t] -= curved_[t];
}

bool JointSteps::advance_projected(FreeVariables& free, double longest, double shortest, double wanted) {
  double length = longest;
  for (int k = 0; k < most_lengths && length > shortest; ++k, length *= 0.25) {
    project(free, length);
    multiply(free, step_);
    if (dot(step_, free.v) - 0.5 * dot(step_, curved_) > wanted) {
      take(free);
      return true;
    }
  }
  return false;
}

JointSteps::Outcome JointSteps::advance(FreeVariables& free) {
  multiply(free, direction_);
  const double slope = dot(direction_, free.v), curvature = dot(direction_, curved_);
  if (!(slope > 0.0) || !std::isfinite(slope)) return Outcome::nothing;
  const double minimum = curvature > 0.0 ? slope / curvature : infinity;
  double first = infinity, last = 0.0;
  for (const Index t : members_) {
    const double d = direction_[at(t)];
    if (d == 0.0) continue;
    const double until = d > 0.0 ? free.rise[at(t)] / d : free.fall[at(t)] / -d;
    first = std::min(first, until);
    if (std::isfinite(until)) last = std::max(last, until);
  }
  const double length = std::min(minimum, first);
  if (!std::isfinite(length)) return Outcome::nothing;
  if (first < minimum) {
    const double gain = length * slope - 0.5 * length * length * curvature;
    if (advance_projected(free, std::min(minimum, last), first, gain)) return Outcome::bound;
    multiply(free, direction_);
  }
  for (const Index t : members_) {
    const double d = direction_[at(t)];
    const double until = d > 0.0 ? free.rise[at(t)] / d : d < 0.0 ? free.fall[at(t)] / -d : infinity;
    step_[at(t)] = until > length ? length * d : d > 0.0 ? free.rise[at(t)] : -free.fall[at(t)];
  }
  for (double& value : curved_) value *= length;
  take(free);
  return first < minimum ? Outcome::bound : Outcome::minimum;
}

// Takes the variables that met their bounds out of the factor, one by one or by factoring anew.
void JointSteps::drop_met(const FreeVariables& free) {
  const auto size = static_cast<double>(members_.size());
  const auto gone =
      std::count_if(members_.begin(), members_.end(), [&](Index t) { return free.met[at(t)] != 0; });
  const bool anew = 3.0 * static_cast<double>(gone) > size / 3.0;
  for (Index k = static_cast<Index>(members_.size()) - 1; k >= 0; --k) {
    if (free.met[at(members_[at(k)])] == 0) continue;
    members_.erase(members_.begin() + k);
    if (!anew) factor_.remove(k), work_ += 3.0 * size * size;
  }
  std::fill(step_.begin(), step_.end(), 0.0);
  if (anew && !members_.empty() && !factor(free)) members_.clear();
}

double JointSteps::run(FreeVariables& free, double tolerance, double precision, double budget, int threads,
                       StopToken& stop) {
  const Index size = free.size();
  free.change.assign(at(size), 0.0);
  free.met.assign(at(size), 0);
  threads_ = threads;
  stop_ = &stop;
  work_ = 0.0;
  double largest = 0.0;
  for (Index t = 0; t < size; ++t) largest = std::max(largest, free.kernel[at(t * size + t)]);
  ridge_ = precision * static_cast<double>(size) * largest;
  members_.resize(at(size));
  std::iota(members_.begin(), members_.end(), Index{0});
  direction_.resize(at(size));
  curved_.resize(at(size));
  step_.assign(at(size), 0.0);
  if (!factor(free)) return work_;
  budget = std::max(budget, enough_work * work_);
  int full_steps = 0;
  double before = infinity;
  while (static_cast<int>(members_.size()) > std::min(free.groups, 1) && work_ < budget && !stop.poll()) {
    set_direction(free);
    const Outcome outcome = advance(free);
    if (outcome == Outcome::nothing) break;
    if (outcome == Outcome::bound) {
      drop_met(free);
      continue;
    }
    const double left = spread(free);
    if (left <= tolerance || left > 0.5 * before || ++full_steps == most_full_steps) break;
    before = left;
  }
  return work_;
}

}  // namespace certus::svm
