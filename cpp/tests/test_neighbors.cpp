#include <vector>

#include "neighbors/votes.hpp"
#include "tests/check.hpp"

namespace certus::neighbors {

TEST(votes_are_counted_and_ties_go_to_the_first_class) {
  const std::vector<Index> neighbors{0, 1, 2, 3, 0, 2}, classes{2, 0, 1, 1};
  const std::vector<double> weights{1.0, 0.5, 0.5, 1.0, 3.0, 2.0};
  StopToken stop;
  std::vector<Index> winner(2);
  const Ballot plain{{neighbors.data(), 2, 3}, {}, classes};
  vote_winners(plain, 3, 1, stop, winner);
  CHECK((winner == std::vector<Index>{0, 1}));
  const Ballot weighted{{neighbors.data(), 2, 3}, {weights.data(), 2, 3}, classes};
  vote_winners(weighted, 3, 1, stop, winner);
  CHECK((winner == std::vector<Index>{2, 1}));
  std::vector<double> shares(6);
  vote_shares(weighted, 1, stop, View2D<double>(shares.data(), 2, 3));
  CHECK((shares == std::vector<double>{0.25, 0.25, 0.5, 0.0, 0.5, 0.5}));
}

}  // namespace certus::neighbors
