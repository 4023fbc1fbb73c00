// Linear learners of a stream: for every row first its scores, from what was learned before, then one update.
//
//   perceptron   y f <= 0:  w += y x, and the sum over all trials for the average (Freund, Schapire 1999)
//   passive      w += tau y x, tau = min(C, l/|x|^2) or l/(|x|^2 + 1/(2C)) (Crammer et al. 2006)
//   gradient     w -= eta g, g = l'(f) x (Zinkevich 2003)
//   adaptive     w_j -= eta g_j / (s_j sqrt(sum g_j^2)), s_j the largest |x_j| so far, |w_j| s_j <= radius
//   entropic     w_j = -radius sinh(a G_j) / sum_k cosh(a G_k), G = sum g, a = eta radius (EG, two-sided)
//   winnow       w.x < threshold and y = 1: w_j *= factor^x_j; the other way round: w_j *= factor^-x_j
//   balanced     y f <= 0 with f = sum 2 sinh(G_j) x_j: G += log(factor) y x
//   newton       A += g g', w -= A^-1 g / gamma (Hazan et al. 2007)
//   forward      w = (penalty I + sum x x')^-1 sum y x with the row itself in the matrix (Vovk; Azoury,
//   Warmuth)
//   alma         y f / |x| <= (1 - alpha) B / sqrt(k): w += sqrt(2/k) y x / |x|, cut to |w| <= 1 (Gentile
//   2001) romma        y f <= 0: w = c w + d x, the shortest w with y w.x = 1 and w_t.w >= |w_t|^2 (Li, Long
//   2002) mirror       w_j = link(-eta G_j), G = sum g: mirror descent with a divergence that is a sum over
//   columns
//
// Several classes are one problem each, the class against the rest; two classes are one problem. Coefficients
// have one entry more than there are columns, the last one for the constant. Rows are taken in order by one
// thread.
#pragma once

#include <span>

#include "core/losses.hpp"
#include "core/stop.hpp"
#include "linear/table_rows.hpp"

namespace certus::online {

using DenseRows = linear::DenseRows<double>;
using SparseRows = linear::CompressedRows<double, std::int32_t>;

enum class Rule : int {
  perceptron,
  passive,
  gradient,
  adaptive,
  entropic,
  winnow,
  balanced,
  newton,
  forward,
  alma,
  romma,
  mirror
};

struct Options {
  Rule rule = Rule::perceptron;
  Loss loss{LossKind::perceptron};
  double eta = 0.0;  // step, cost C or penalty; 0: chosen by the rule
  double radius = 1.0;
  double factor = 2.0;     // of Winnow; gamma of the Newton steps; B of alma; scale of the link
  double threshold = 0.0;  // of Winnow; alpha of alma
  bool squared = false;    // PA-II; romma: steps wherever y f < 1; mirror: sinh instead of exp
  bool conservative = false;
  bool classifies = true;
};

// What is kept of a problem besides vectors. `linear` is sum l'(f) f, the learner's side of the linear
// regret.
struct Numbers {
  enum Name {
    trials,
    mistakes,
    updates,
    loss,
    linear,
    squares,   // sum of |g|^2
    moves,     // entropic: sum of a max_j g_j^2; newton: of g' A^-1 g; passive: of tau (2 l - tau |x|^2)
    largest,   // |x|^2
    jumps,     // what shrinking limits add to the first and
    falls,     //   second part of the adaptive bound
    rate,      // entropic: a
    weight,    // entropic: sum of cosh; Winnow: sum of weights
    promoted,  // mistakes on positive rows
    demoted,   //   and on the others
    targets,   // sum of y^2
    target,    // largest |y|
    cut,       // 1 once a slope was cut, against overflow
    unit,      // adaptive: of the scores; for regression a power of two that no |y| exceeds
    since,     //   the trial at which the account began anew,
    before,    //   and the loss before it
    count
  };
};

// Vectors per rule; a problem has `fields(rule)` of them, each of the state's width.
int fields(Rule rule) noexcept;

struct State {
  View2D<double> vectors;  // problems * fields rows
  View2D<double> numbers;  // a row per problem
  View2D<double> matrix;   // of the rules newton and forward: a factor per problem, one below the other
  Index problems() const { return numbers.rows; }
  View2D<double> factor(Index problem) const {
    return matrix.rows_from(problem * (matrix.rows / numbers.rows), matrix.rows / numbers.rows);
  }
};

// Targets are the numbers of classes (two classes are one problem) or real numbers. `shares` (empty: all 1)
// say how much of the loss of each row counts, for rules that step against gradients. `scores` has a row per
// row and a column per problem. Returns how many rows were learned.
template <class Rows>
Index learn_rows(const Rows& x, std::span<const double> targets, std::span<const double> shares,
                 const Options& options, const State& state, StopToken& stop, View2D<double> scores);

// The scores of rows, as `learn_rows` would find them if each came next; the state stays as it is.
template <class Rows>
void score_rows(const Rows& x, const Options& options, const State& state, StopToken& stop,
                View2D<double> scores);

}  // namespace certus::online
