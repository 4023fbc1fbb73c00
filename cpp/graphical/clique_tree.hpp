// Exact inference: P(x, e) = product of the tables of a network, sliced at the evidence, as messages in a
// tree of cliques (Lauritzen, Spiegelhalter 1988; Jensen, Lauritzen, Olesen 1990).
//
//   collect     table_c = product of its factors and its children's messages; message_c = sum (or max) of
//   table_c
//               over what the parent does not have
//   distribute  table_c *= (sum of table_parent over what c does not have) / message_c, with 0/0 = 0; then
//   table_c is
//               proportional to P(clique, e)
//
// Cost O(cells * factors). Messages are scaled by powers of two, whose exponents are kept apart, so that
// scaling rounds nothing and thousands of nodes do not underflow. Tables are cut into slabs over the pool;
// every cell is computed in one order, so that any number of threads gives equal bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "core/stop.hpp"
#include "graphical/elimination_plan.hpp"
#include "graphical/network_model.hpp"
#include "graphical/strided_tables.hpp"

namespace certus::graphical {

struct TreeRequest {
  std::span<const std::uint8_t> kept;      // nodes whose tables count; the others are barren
  std::span<const std::uint8_t> observed;  // nodes that are sliced out at a known state
  std::span<const std::uint8_t> late;      // nodes that are maximized after all others are summed out
  std::span<const std::int64_t> joint;     // nodes that one clique, then the root, must hold together
};

class CliqueTree {
 public:
  CliqueTree(const NetworkModel& model, const TreeRequest& request, StopToken& stop);

  // The plan.
  const std::vector<std::vector<int>>& cliques() const { return scopes_; }
  double cells() const { return cells_; }
  double largest() const { return largest_; }
  int width() const { return width_; }
  // Cells in use at the same time, with and without `drop`.
  double peak(bool drop) const;
  // An upper bound on the roundings behind any entry of a calibrated table, relative to its value.
  double roundings() const { return roundings_; }

  // The evidence: states of observed nodes, and weights of the states of all nodes one after the other (or
  // none). In a tree with `remember`, only what differs from the last evidence is computed again by collect.
  void load(std::span<const std::int64_t> states, std::span<const double> weights);
  void remember() { remember_ = true; }
  enum class Mode { kSum, kMax, kSumThenMax };
  // False if the evidence is impossible. With `drop`, tables are freed as soon as they are summed, except
  // roots.
  bool collect(Mode mode, bool drop, int threads, StopToken& stop);
  void distribute(int threads, StopToken& stop);
  // After collect: log of the sum (or max) of the whole product.
  double log_total() const;
  Index recomputed() const { return recomputed_; }
  // Whether a number that is not zero became too small for doubles: what is read off the tables may be wrong.
  bool lost() const {
    return std::any_of(cliques_.begin(), cliques_.end(), [](const Clique& clique) { return clique.lost; });
  }

  void marginal(Index node, std::span<double> out);                        // after distribute; sums to 1
  void joint(std::span<const std::int64_t> nodes, std::span<double> out);  // of the root; sums to 1
  void best(std::span<std::int64_t> states, bool late_only) const;         // after a maximizing collect
  void draw(Rng& rng, std::span<std::int32_t> states) const;               // after a summing collect
  // Adds weight * P(family | e) to the counts of all nodes, laid out as the tables of the network.
  void add_families(double weight, std::span<double> counts);

 private:
  struct Part {  // a table of the network
    Index node;
    int clique;
    Index offset = 0;
    Operand operand;
    std::vector<std::pair<Index, Index>> sliced;  // observed node and its stride
  };
  struct Clique {
    Layout layout;
    int parent = -1;
    std::vector<int> children, parts, own;  // `own`: nodes whose weights it multiplies in
    Operand to_message;                     // of its own message over its own axes
    Operand from_parent;                    // of its own message over the parent's axes
    Index message_cells = 1;
    bool late = false;
    bool dirty = true;
    bool filled = false;  // the table is the product of its factors, as collect left it
    bool lost = false;    // since its message was last computed
    std::vector<double> table, message, ratio;
    std::int64_t exponent = 0;
  };

  void plan_cliques(const EliminationPlan& plan, const std::vector<Index>& extents, int root);
  void add_parts(const TreeRequest& request);
  struct Applied {
    const Operand* operand;
    const double* values;
  };
  enum class Into { kTable, kSum, kMax };
  std::vector<Applied> factors_of(const Clique& clique, const double* ratio) const;
  // The product of a clique's factors in its table, and its sum or maximum in its message.
  void fill(Clique& clique, const double* ratio, Into into, int threads, StopToken& stop);
  void reduce(const Clique& clique, const Operand& operand, std::vector<double>& out, bool maximise) const;
  template <class Choose>
  void decode(Choose&& choose, bool late_only) const;
  const double* weight_of(int node) const;

  NetworkModel model_;
  std::vector<int> variable_;             // of a node, -1 if sliced out or barren
  std::vector<int> node_;                 // of a variable
  std::vector<std::vector<int>> scopes_;  // nodes of every clique
  std::vector<Clique> cliques_;
  std::vector<int> order_;               // parents before children
  std::vector<int> home_;                // per node the clique that holds it
  std::vector<Operand> weight_operand_;  // per node, over the axes of its home
  std::vector<Index> weight_begin_;
  std::vector<Part> parts_;
  std::vector<int> constants_;  // parts without a free variable
  std::vector<double> weights_;
  std::vector<std::uint8_t> weighted_;
  std::vector<std::int64_t> states_;
  bool remember_ = false;
  bool loaded_ = false;
  Mode last_mode_ = Mode::kSum;
  double cells_ = 0.0, largest_ = 0.0, roundings_ = 0.0;
  int width_ = 0;
  int joint_root_ = -1;
  double constant_ = 1.0;
  std::int64_t constant_exponent_ = 0;
  Index recomputed_ = 0;
};

}  // namespace certus::graphical
