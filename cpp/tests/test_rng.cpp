#include "core/rng.hpp"

#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "tests/check.hpp"

namespace certus {
namespace {

// Pearson's statistic of equally likely cells.
double chi_square(const std::vector<int>& counts) {
  const double expected = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0)) /
                          static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

}  // namespace

TEST(splitmix_published_values) {
  std::uint64_t state = 1234567;
  CHECK_EQUAL(splitmix64(state), 6457827717110365317ULL);
  CHECK_EQUAL(splitmix64(state), 3203168211198807973ULL);
  CHECK_EQUAL(splitmix64(state), 9817491932198370423ULL);
}

TEST(rng_gives_the_same_numbers_everywhere) {
  // Out of an independent implementation in Python integers, see tests/native/test_rng.py.
  struct Known {
    std::uint64_t seed, stream, first, second;
  };
  const Known table[] = {
      {0, 0, 7570744972400527319ULL, 12816794732203693260ULL},
      {42, 0, 7256670808177373383ULL, 6335427149362477570ULL},
      {42, 1, 7966336695299408047ULL, 5268790103284325472ULL},
      {~0ULL, ~0ULL, 13033353613062994301ULL, 3468047185170972755ULL},
  };
  for (const Known& known : table) {
    Rng rng(known.seed, known.stream);
    CHECK_EQUAL(rng.next(), known.first);
    CHECK_EQUAL(rng.next(), known.second);
  }
}

TEST(streams_and_seeds_differ) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t stream = 0; stream < 100; ++stream) seen.insert(Rng(seed, stream).next());
  }
  CHECK_EQUAL(seen.size(), std::size_t{10000});
  // Neighboring streams do not move together: their correlation is within 5 standard errors of 0.
  Rng a(7, 0), b(7, 1), c(8, 0);
  const int draws = 100000;
  double ab = 0, ac = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = a.uniform() - 0.5;
    ab += x * (b.uniform() - 0.5);
    ac += x * (c.uniform() - 0.5);
  }
  const double five_errors = 5.0 / 12.0 * std::sqrt(static_cast<double>(draws));
  CHECK_CLOSE(ab, 0.0, five_errors);
  CHECK_CLOSE(ac, 0.0, five_errors);
}

TEST(split_is_independent_of_later_draws) {
  Rng parent(5);
  Rng child = parent.split();
  Rng again(5);
  Rng same = again.split();
  again.next();
  for (int i = 0; i < 10; ++i) CHECK_EQUAL(child.next(), same.next());
  CHECK(parent.next() != child.next());
}

TEST(product_of_128_bits) {
  Rng rng(11);
  const std::uint64_t most = ~std::uint64_t{0};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = i % 10 == 0 ? most : rng.next() >> (i % 64), b = i % 7 == 0 ? most : rng.next();
    const Product128 fast = multiply(a, b), slow = multiply_by_halves(a, b);
    CHECK_EQUAL(fast.high, slow.high);
    CHECK_EQUAL(fast.low, slow.low);
  }
}

TEST(uniform_covers_the_unit_interval) {
  Rng rng(1);
  std::vector<int> counts(64);
  for (int i = 0; i < 640000; ++i) {
    const double u = rng.uniform();
    CHECK(u >= 0.0 && u < 1.0);
    ++counts[static_cast<std::size_t>(u * 64)];
  }
  CHECK(chi_square(counts) < 131.0);  // 63 degrees of freedom: exceeded with probability 1e-6
}

TEST(below_is_unbiased) {
  // With 3 * 2^62 a draw that is not rejected but reduced modulo the bound would fall into the lowest third
  // half of the time instead of a third.
  Rng rng(2);
  std::vector<int> thirds(3), small(7);
  const std::uint64_t bound = 3ULL << 62;
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t draw = rng.below(bound);
    CHECK(draw < bound);
    ++thirds[static_cast<std::size_t>(draw >> 62)];
    ++small[static_cast<std::size_t>(rng.below(7))];
  }
  CHECK(chi_square(thirds) < 27.7);  // 2 degrees of freedom, probability 1e-6
  CHECK(chi_square(small) < 38.3);   // 6 degrees of freedom
  for (int i = 0; i < 100; ++i) CHECK_EQUAL(rng.below(1), std::uint64_t{0});
}

TEST(shuffle_reaches_every_order_equally_often) {
  Rng rng(3);
  std::map<std::array<int, 4>, int> seen;
  std::array<int, 4> order{0, 1, 2, 3};
  for (int i = 0; i < 48000; ++i) {
    rng.shuffle(order.begin(), order.end());
    ++seen[order];
  }
  CHECK_EQUAL(seen.size(), std::size_t{24});
  std::vector<int> counts;
  for (const auto& [_, count] : seen) counts.push_back(count);
  CHECK(chi_square(counts) < 70.6);  // 23 degrees of freedom, probability 1e-6
}

TEST(normal_has_the_right_moments) {
  Rng rng(4);
  const int draws = 400000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < draws; ++i) {
    const double z = rng.normal();
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  const double error =
      5.0 / std::sqrt(static_cast<double>(draws));  // five standard errors of a unit variance
  CHECK_CLOSE(sum / draws, 0.0, error);
  CHECK_CLOSE(squares / draws, 1.0, error * std::sqrt(2.0));
  CHECK_CLOSE(fourth / draws, 3.0, error * std::sqrt(96.0));
}

}  // namespace certus
