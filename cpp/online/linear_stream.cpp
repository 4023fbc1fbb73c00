#include "online/linear_stream.hpp"

#include <type_traits>
#include <vector>

#include "online/gradient_rules.hpp"
#include "online/mistake_rules.hpp"

namespace certus::online {
namespace {

// f(rule) for the struct of a rule.
template <class F>
auto with_rule(Rule rule, F&& f) {
  switch (rule) {
    case Rule::passive:
      return f(Passive{});
    case Rule::gradient:
      return f(Gradient{});
    case Rule::adaptive:
      return f(Adaptive{});
    case Rule::entropic:
      return f(Entropic{});
    case Rule::winnow:
      return f(Winnow{});
    case Rule::balanced:
      return f(Balanced{});
    case Rule::newton:
      return f(Newton{});
    case Rule::forward:
      return f(Forward{});
    case Rule::alma:
      return f(Alma{});
    case Rule::romma:
      return f(Romma{});
    case Rule::mirror:
      return f(Mirror{});
    default:
      return f(Perceptron{});
  }
}

// Whether the scores of a row, class `code` being true, count as a mistake; a tie does.
bool is_mistake(std::span<const double> scores, Index code) {
  if (scores.size() == 1) return (code == 1 ? scores[0] : -scores[0]) <= 0.0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (static_cast<Index>(k) != code && scores[k] >= scores[static_cast<std::size_t>(code)]) return true;
  }
  return false;
}

template <class R, class Rows>
void learn_row(const Row<Rows>& row, double target, double share, const Options& options, const State& state,
               std::span<double> scores) {
  const Index problems = state.problems(), stride = state.vectors.cols;
  const auto code = static_cast<Index>(target);
  const auto problem = [&](Index k) {
    return Problem{options, state.vectors.row(k * R::fields), stride, state.numbers.row(k), state.factor(k),
                   share};
  };
  for (Index k = 0; k < problems; ++k) scores[static_cast<std::size_t>(k)] = R::score(problem(k), row);
  if (options.classifies && is_mistake(scores, code)) state.numbers(0, Numbers::mistakes) += 1.0;
  for (Index k = 0; k < problems; ++k) {
    const Problem of = problem(k);
    of[Numbers::trials] += 1.0;
    const double y = !options.classifies ? target : code == (problems == 1 ? 1 : k) ? 1.0 : -1.0;
    R::learn(of, row, y, scores[static_cast<std::size_t>(k)]);
  }
}

}  // namespace

int fields(Rule rule) noexcept {
  return with_rule(rule, [](auto of) { return decltype(of)::fields; });
}

template <class Rows>
Index learn_rows(const Rows& x, std::span<const double> targets, std::span<const double> shares,
                 const Options& options, const State& state, StopToken& stop, View2D<double> scores) {
  return with_rule(options.rule, [&](auto of) {
    constexpr Index ahead = 4;
    Index i = 0;
    for (; i < x.rows(); ++i) {
      if ((i & 63) == 0 && stop.poll()) break;
      if (i + ahead < x.rows()) x.prefetch(i + ahead);
      const std::span<double> out(scores.row(i), static_cast<std::size_t>(scores.cols));
      const auto at = static_cast<std::size_t>(i);
      const double share = shares.empty() ? 1.0 : shares[at];
      learn_row<decltype(of)>(Row<Rows>{x, i}, targets[at], share, options, state, out);
    }
    return i;
  });
}

template <class Rows>
void score_rows(const Rows& x, const Options& options, const State& state, StopToken& stop,
                View2D<double> scores) {
  with_rule(options.rule, [&](auto of) {
    using R = decltype(of);
    std::vector<double> vectors, numbers, matrix;
    for (Index i = 0; i < x.rows() && !((i & 63) == 0 && stop.poll()); ++i) {
      const Row<Rows> row{x, i};
      for (Index k = 0; k < state.problems(); ++k) {
        Problem of_k{options, state.vectors.row(k * R::fields), state.vectors.cols, state.numbers.row(k),
                     state.factor(k)};
        if constexpr (std::is_same_v<R, Adaptive>) {
          scores(i, k) = R::peek(of_k, row);
        } else if constexpr (std::is_same_v<R, Forward>) {  // whose score moves the matrix
          vectors.assign(of_k.vectors, of_k.vectors + R::fields * of_k.stride);
          numbers.assign(of_k.numbers, of_k.numbers + Numbers::count);
          matrix.assign(of_k.matrix.data, of_k.matrix.data + of_k.matrix.rows * of_k.matrix.cols);
          of_k.vectors = vectors.data();
          of_k.numbers = numbers.data();
          of_k.matrix = {matrix.data(), of_k.matrix.rows, of_k.matrix.cols};
          scores(i, k) = R::score(of_k, row);
        } else {
          scores(i, k) = R::score(of_k, row);
        }
      }
    }
  });
}

template void score_rows(const DenseRows&, const Options&, const State&, StopToken&, View2D<double>);
template void score_rows(const SparseRows&, const Options&, const State&, StopToken&, View2D<double>);
template Index learn_rows(const DenseRows&, std::span<const double>, std::span<const double>, const Options&,
                          const State&, StopToken&, View2D<double>);
template Index learn_rows(const SparseRows&, std::span<const double>, std::span<const double>, const Options&,
                          const State&, StopToken&, View2D<double>);

}  // namespace certus::online
