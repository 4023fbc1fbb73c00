#include "linear/sag.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/rng.hpp"

namespace certus::linear {
namespace {

constexpr double smallest_scale = 1e-9;
constexpr std::size_t ahead = 4;

template <class Rows>
class Sag {
 public:
  Sag(const Rows& x, const SagProblem& problem, const SagState& state)
      : x_(x),
        p_(problem),
        s_(state),
        outputs_(static_cast<std::size_t>(problem.outputs)),
        paid_(static_cast<std::size_t>(x.cols()), 0.0),
        score_(outputs_),
        change_(outputs_),
        seen_(static_cast<double>(std::count(state.seen.begin(), state.seen.end(), std::uint8_t{1}))) {}

  void learn(Index row) {
    const auto i = static_cast<std::size_t>(row);
    if (s_.seen[i] == 0) {
      s_.seen[i] = 1;
      seen_ += 1.0;
    }
    score(row);
    to_slopes(i);
    double* memory = s_.slopes.data() + i * outputs_;
    for (std::size_t k = 0; k < outputs_; ++k) {
      change_[k] = score_[k] - memory[k];
      memory[k] = score_[k];
    }
    scale_ *= 1.0 - p_.step * p_.strength;
    // What SAGA adds on the entries of the row: the new sum holds 1 / seen of the change already.
    const double extra = p_.unbiased ? p_.step * (1.0 - 1.0 / seen_) : 0.0;
    x_.each(row, [&](Index column, double value) {
      const std::size_t first = static_cast<std::size_t>(column) * outputs_;
      for (std::size_t k = 0; k < outputs_; ++k) s_.sums[first + k] += change_[k] * value;
      if (extra == 0.0) return;
      for (std::size_t k = 0; k < outputs_; ++k) s_.coef[first + k] -= extra / scale_ * change_[k] * value;
    });
    if (p_.intercept_decay > 0.0) {
      for (std::size_t k = 0; k < outputs_; ++k) {
        s_.intercept_sums[k] += change_[k];
        const double direction = p_.step / seen_ * s_.intercept_sums[k] + extra * change_[k];
        s_.intercept[k] -= p_.intercept_decay * direction;
      }
    }
    owed_ += p_.step / (scale_ * seen_);
    if (scale_ < smallest_scale) settle();
  }

  // Every column pays, and the scale goes into the coefficients.
  void settle() {
    for (std::size_t j = 0; j < paid_.size(); ++j) {
      pay(j);
      paid_[j] = 0.0;
      for (std::size_t k = 0; k < outputs_; ++k) s_.coef[j * outputs_ + k] *= scale_;
    }
    scale_ = 1.0;
    owed_ = 0.0;
  }

 private:
  // The steps along the unchanged sum of gradients since the column was last touched.
  void pay(std::size_t j) {
    const double due = owed_ - paid_[j];
    for (std::size_t k = j * outputs_; k < (j + 1) * outputs_; ++k) s_.coef[k] -= due * s_.sums[k];
    paid_[j] = owed_;
  }

  void score(Index row) {
    std::fill(score_.begin(), score_.end(), 0.0);
    x_.each(row, [&](Index column, double value) {
      const auto j = static_cast<std::size_t>(column);
      pay(j);
      for (std::size_t k = 0; k < outputs_; ++k) score_[k] += value * s_.coef[j * outputs_ + k];
    });
    for (std::size_t k = 0; k < outputs_; ++k) score_[k] = scale_ * score_[k] + s_.intercept[k];
  }

  // Scores become the weighted slopes of the row's loss.
  void to_slopes(std::size_t i) {
    const double y = p_.target[i];
    if (p_.loss == LossKind::squared) {
      score_[0] = losses::Squared(y, score_[0], 0.0).slope();
    } else if (p_.loss == LossKind::logistic) {
      score_[0] = losses::Logistic(y, score_[0], 0.0).slope();
    } else {
      const auto at = [&](Index k) -> double& { return score_[static_cast<std::size_t>(k)]; };
      const double total = losses::exponentials(p_.outputs, at, at).total;
      for (double& value : score_) value /= total;
      score_[static_cast<std::size_t>(y)] -= 1.0;
    }
    if (p_.weights.empty()) return;
    for (double& value : score_) value *= p_.weights[i];
  }

  const Rows& x_;
  const SagProblem& p_;
  const SagState& s_;
  std::size_t outputs_;
  std::vector<double> paid_;  // per column: what was owed when it paid last
  std::vector<double> score_, change_;
  double seen_, scale_ = 1.0, owed_ = 0.0;
};

}  // namespace

template <class Rows>
void sag_epoch(const Rows& x, const SagProblem& problem, std::uint64_t seed, std::uint64_t epoch,
               StopToken& stop, const SagState& state) {
  Sag<Rows> sag(x, problem, state);
  // One stream per epoch.
  Rng rng(seed, (std::uint64_t{1} << 32) + epoch);
  const auto rows = static_cast<std::uint64_t>(x.rows());
  std::array<Index, ahead> next;  // rows drawn but not yet used, on their way from memory
  for (Index& row : next) row = static_cast<Index>(rng.below(rows));
  for (Index draw = 0; draw < x.rows(); ++draw) {
    if ((draw & 255) == 0 && stop.poll()) return;
    Index& place = next[static_cast<std::size_t>(draw) % ahead];
    const Index row = place;
    place = static_cast<Index>(rng.below(rows));
    x.prefetch(place);
    sag.learn(row);
  }
  sag.settle();
}

#define CERTUS_INSTANTIATE(Rows)                                                                          \
  template void sag_epoch<Rows>(const Rows&, const SagProblem&, std::uint64_t, std::uint64_t, StopToken&, \
                                const SagState&);
CERTUS_FOR_EVERY_TABLE(CERTUS_INSTANTIATE)
#undef CERTUS_INSTANTIATE

}  // namespace certus::linear
