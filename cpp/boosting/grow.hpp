// Growing one tree on gradients and hessians (Friedman 2001; Chen, Guestrin 2016; Ke et al. 2017).
//
// A node's histogram is built for its smaller child and subtracted for the larger one. All sums are exact
// (grid.hpp), so the tree does not depend on the number of threads, nor on the order of the rows beyond the
// rounding of the leaves' values.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "boosting/grid.hpp"
#include "boosting/histogram.hpp"
#include "boosting/tree.hpp"
#include "core/rng.hpp"
#include "core/stop.hpp"

namespace certus::boosting {

struct GrowOptions {
  Index max_leaves = -1;  // -1: no limit
  Index max_depth = -1;
  double learning_rate = 0.1;
  double column_share = 1.0;   // of the allowed columns, drawn anew for every node
  bool bounded_steps = false;  // leaves add at most safe_step; see there
  bool by_level = false;       // divide the shallowest node first, instead of the one that gains most
  std::uint64_t seed = 0;
  SplitRules rules;
  std::vector<std::int8_t> monotone;                    // sign per column, or empty
  std::vector<std::vector<std::uint8_t>> interactions;  // sets of columns that may meet on a path, or empty
};

// The largest step from a Newton step x = -G / H that cannot raise a loss whose curvature changes at most
// e-fold per unit of the score, |l'''| <= l'' (logistic, Poisson, gamma): along s in the direction of x such
// a loss is at most  l - |G| s + H (e^s - 1 - s)  (Bach 2010), and that is below l for s <= log(1 + 2 |x|),
// because log(1 + t) >= 2 t / (2 + t). Leaves with almost no curvature, such as rows of a rare class among
// sure ones, would otherwise throw away all that was learned.
double safe_step(double newton_step, double learning_rate);

class Grower {
 public:
  // `weights` of the rows: empty means 1 each.
  Grower(const BinnedTable& table, const GrowOptions& options, std::span<const double> weights, int threads);
  ~Grower();
  Grower(const Grower&) = delete;
  Grower& operator=(const Grower&) = delete;

  // Grows tree number `number` on derivatives without weights; empty `hessians` mean 1 everywhere.
  const Tree& grow(std::span<const double> gradients, std::span<const double> hessians, std::uint64_t number,
                   StopToken& stop);
  // Replaces the leaves' values by learning rate x the `share` quantile of target - prediction in the leaf;
  // where columns are monotone, bounds from the quantiles of the nodes above keep the leaves in order.
  void use_quantiles(std::span<const double> target, std::span<const double> prediction, double share,
                     StopToken& stop);
  // Adds to the prediction of every row the value of its leaf.
  void add_values(std::span<double> prediction, StopToken& stop) const;
  const Tree& tree() const { return tree_; }

 private:
  struct Work;
  struct Leaf {
    Index node, first, count;
    bool side;
    Bounds bounds;
  };

  Index add_node(const Sums& sums, const Bounds& bounds, Index depth);
  bool may_split(const Work& work) const;
  void finish(std::unique_ptr<Work> work);
  bool later(const std::unique_ptr<Work>& a, const std::unique_ptr<Work>& b) const;
  void keep(std::unique_ptr<Work> work);
  std::unique_ptr<Work> take_best();
  std::unique_ptr<Work> make_root(StopToken& stop);
  void split(std::unique_ptr<Work> work, bool last, StopToken& stop);
  void search(Work* small, Work* large, StopToken& stop);
  void choose_columns(Work& work);
  void divide(Work& work, Work& left, Work& right, StopToken& stop);
  Index partition(const Work& work, StopToken& stop);
  void share_bounds(const Work& work, Work& left, Work& right) const;
  void set_leaf_values(const Derivatives& of, StopToken& stop);
  void keep_order(std::vector<double>& values) const;
  std::span<Entry> entries(Index first, Index count, bool side) {
    return {buffers_[side].data() + first, static_cast<std::size_t>(count)};
  }
  std::unique_ptr<Histogram> take_histogram();

  const BinnedTable& table_;
  GrowOptions options_;
  std::span<const double> weights_;
  int threads_;
  HistogramBuilder builder_;
  Grid grid_;
  std::vector<Entry> buffers_[2];
  std::vector<std::unique_ptr<Work>> open_;  // a heap
  std::vector<Leaf> leaves_;
  std::vector<std::unique_ptr<Histogram>> spare_;
  std::vector<std::vector<Split>> found_;
  Tree tree_;
  Rng rng_{0};
};

}  // namespace certus::boosting
