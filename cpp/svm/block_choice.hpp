// Which rows the next round works on.
#pragma once

#include <vector>

#include "svm/problem.hpp"

namespace certus::svm {

// The extremes of v per constraint, over all variables.
struct Extremes {
  double rise[2];  // largest v of a variable that may rise
  double fall[2];  // smallest v of one that may fall
  double violation() const;
};

class BlockChoice {
 public:
  BlockChoice(const Problem& problem, Index block);

  Extremes extremes(std::span<const double> alpha, std::span<const double> scores) const;
  // Up to `block` rows: the worst violators first, then free rows in order of last use. `rows` is sorted.
  void choose(std::span<const double> alpha, std::span<const double> scores, const Extremes& extremes,
              std::vector<Index>& rows);

 private:
  struct Candidate {
    double badness;
    Index row;
    bool operator<(const Candidate& other) const {
      return badness > other.badness || (badness == other.badness && row < other.row);
    }
  };

  int group(std::size_t t) const { return problem_.bias == Bias::two && problem_.sign[t] < 0 ? 1 : 0; }
  double v(std::size_t t, std::span<const double> scores) const;
  void take_violators(std::vector<Candidate>& candidates, Index most, std::vector<Index>& rows);
  void take_free(std::span<const double> alpha, std::vector<Index>& rows);

  const Problem& problem_;
  Index block_;
  std::int64_t round_ = 0;
  std::vector<std::int64_t> last_used_;
  std::vector<Candidate> rising_, falling_, free_;
};

}  // namespace certus::svm
