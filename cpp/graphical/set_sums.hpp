// Sums over the cells of contingency tables, from which scores of networks and tests of independence are
// made.
//
// For a set S of columns with cell weights N_s: sum N ln N (likelihoods, G tests), or
// sum [ln Gamma(N + a) - ln Gamma(a)] (Dirichlet scores) with a prior weight a per cell. A family X <- P
// scores the sum of P + {X} minus that of P, so that families share the tables of their sets. O(rows |S|) per
// set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::graphical {

using Column = std::int32_t;
using ColumnSet = std::vector<Column>;  // ascending

// Codes 0 .. arity-1, one column after the other, and a weight per row (none: all 1).
struct CodedRows {
  std::vector<std::int32_t> codes;
  Index rows = 0;
  std::vector<std::int32_t> arities;
  std::vector<double> weights;

  Index columns() const { return static_cast<Index>(arities.size()); }
  const std::int32_t* column(Index j) const { return codes.data() + j * rows; }
  double cells(std::span<const Column> set) const;
};

enum class Score : int { likelihood = 0, bdeu, k2 };

struct ScoreRule {
  Score score = Score::likelihood;
  double sample_size = 1.0;  // equivalent sample size of BDeu
  double penalty = 0.0;      // per free parameter

  double joint_prior(double cells) const;
  double parent_prior(double cells, std::int32_t child_arity) const;
};

// Rows in groups: which rows agree in all columns of a set that is built up column by column.
class Grouping {
 public:
  Grouping(const CodedRows& rows, Index most_groups);
  void start();
  void refine(Column column);
  void copy_from(const Grouping& other);
  // Weighted counts of the groups; those beyond are unused.
  std::span<const double> counts();

 private:
  void compact();
  void tally();

  const CodedRows* rows_;
  Index most_;
  Index groups_ = 1;
  std::vector<std::int32_t> group_;
  std::vector<std::int32_t> renamed_;
  std::vector<double> counts_;
  std::vector<std::int32_t> tallies_;
};

// Groups that a grouping may number before it drops the empty ones.
Index group_limit(const CodedRows& rows);

// The sum of one table; prior 0 stands for N ln N.
double sum_of_counts(std::span<const double> counts, double prior);

class SetSums {
 public:
  SetSums(CodedRows rows, ScoreRule rule);

  const CodedRows& rows() const { return rows_; }
  const ScoreRule& rule() const { return rule_; }

  // Scores of families; tables that were counted before are not counted again.
  void score(std::span<const Column> children, std::span<const ColumnSet> parents, std::span<double> out,
             int threads, StopToken& stop);
  // sum N ln N of every set.
  void entropies(std::span<const ColumnSet> sets, std::span<double> out, int threads, StopToken& stop);
  // The sums of all sets of at most `most` columns by their bits, for `prior`: 0 N ln N, -1 that of joint
  // tables by the rule, r > 0 that of parents of a child with r states. Larger sets are left as they are.
  void all_sums(Index most, std::int32_t prior, std::span<double> out, int threads, StopToken& stop) const;

 private:
  struct Key {
    ColumnSet set;
    std::int32_t role;  // 0 joint, -1 N ln N, r parents of a child with r states under K2
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  std::int32_t parent_role(Column child) const;
  double prior_of(const Key& key) const;
  void need(Key key, std::vector<Key>& fresh);
  void count(const std::vector<Key>& fresh, int threads, StopToken& stop);

  CodedRows rows_;
  ScoreRule rule_;
  std::unordered_map<Key, double, Hash> known_;
};

ColumnSet with(const ColumnSet& set, Column column);
ColumnSet without(const ColumnSet& set, Column column);

}  // namespace certus::graphical
