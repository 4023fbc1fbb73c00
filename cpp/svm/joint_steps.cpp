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

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

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

// Goes to the minimum along the direction or to the first bound; returns which variable met it (its place in
// the factor), size() if none did, -1 if the direction does not lead down.
Index JointSteps::advance(FreeVariables& free) {
  const Index size = static_cast<Index>(members_.size());
  gemv_n(free.size(), free.size(), 1.0, free.kernel.data(), free.size(), direction_.data(), 0.0,
         curved_.data());
  const double slope = vector_ops().dot_d(direction_.data(), free.v.data(), free.size());
  const double curvature = vector_ops().dot_d(direction_.data(), curved_.data(), free.size());
  if (!(slope > 0.0) || !std::isfinite(slope)) return -1;
  double length = curvature > 0.0 ? slope / curvature : infinity;
  Index first = size;
  for (Index k = 0; k < size; ++k) {
    const Index t = members_[at(k)];
    const double d = direction_[at(t)];
    if (d == 0.0) continue;
    const double until = d > 0.0 ? free.rise[at(t)] / d : free.fall[at(t)] / -d;
    if (until < length) length = until, first = k;
  }
  if (!std::isfinite(length)) return -1;
  for (const Index t : members_) {
    const double moved = length * direction_[at(t)];
    free.change[at(t)] += moved;
    free.rise[at(t)] = std::max(0.0, free.rise[at(t)] - moved);
    free.fall[at(t)] = std::max(0.0, free.fall[at(t)] + moved);
  }
  for (std::size_t t = 0; t < free.v.size(); ++t) free.v[t] -= length * curved_[t];
  if (first < size) free.met[at(members_[at(first)])] = direction_[at(members_[at(first)])] > 0.0 ? 1 : -1;
  return first;
}

double JointSteps::run(FreeVariables& free, double tolerance, double precision, double budget, int threads,
                       StopToken& stop) {
  const Index size = free.size();
  free.change.assign(at(size), 0.0);
  free.met.assign(at(size), 0);
  double largest = 0.0;
  for (Index t = 0; t < size; ++t) largest = std::max(largest, free.kernel[at(t * size + t)]);
  members_.resize(at(size));
  std::iota(members_.begin(), members_.end(), Index{0});
  direction_.resize(at(size));
  curved_.resize(at(size));
  const double squared = static_cast<double>(size) * static_cast<double>(size);
  double work = squared * static_cast<double>(size) / 3.0;
  if (!factor_.factor(free.kernel, size, precision * largest, threads, stop)) return work;
  int full_steps = 0;
  double before = infinity;
  while (static_cast<int>(members_.size()) > std::min(free.groups, 1) && work < budget && !stop.poll()) {
    set_direction(free);
    const Index met = advance(free);
    work += 8.0 * squared;
    if (met < 0) break;
    if (met < static_cast<Index>(members_.size())) {
      factor_.remove(met);
      members_.erase(members_.begin() + met);
      continue;
    }
    const double left = spread(free);
    if (left <= tolerance || left > 0.5 * before || ++full_steps == most_full_steps) break;
    before = left;
  }
  return work;
}

}  // namespace certus::svm
