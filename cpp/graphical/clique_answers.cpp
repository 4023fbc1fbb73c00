// What is read off the tables of a clique tree: marginals, best and drawn states, expected counts.
#include <algorithm>

#include "graphical/clique_tree.hpp"
#include "graphical/message_scale.hpp"

namespace certus::graphical {
namespace {

std::size_t at(Index place) { return static_cast<std::size_t>(place); }

}  // namespace

void CliqueTree::marginal(Index node, std::span<double> out) {
  const Clique& clique = cliques_[at(home_[at(node)])];
  std::vector<double> sums(out.size(), 0.0);
  reduce(clique, weight_operand_[at(node)], sums, false);
  scale(sums);
  const double sum = total(sums);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = sums[k] / sum;
}

void CliqueTree::joint(std::span<const std::int64_t> nodes, std::span<double> out) {
  std::vector<double> sums(out.size(), 0.0);
  if (joint_root_ < 0) {
    sums.assign(out.size(), 1.0);
  } else {
    const Clique& root = cliques_[at(joint_root_)];
    std::vector<int> own;
    std::vector<Index> shape;
    for (const std::int64_t node : nodes) {
      own.push_back(static_cast<int>(node));
      shape.push_back(model_.card(node));
    }
    reduce(root, Operand(root.layout, strides_over(scopes_[at(joint_root_)], own, shape)), sums, false);
  }
  scale(sums);
  const double sum = total(sums);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = sums[k] / sum;
}

// Roots first: the states of a clique's separator are known, what they leave of its table is contiguous, and
// choose(block) picks a cell of it.
template <class Choose>
void CliqueTree::decode(Choose&& choose, bool late_only) const {
  std::vector<Index> chosen(at(model_.nodes()), -1);
  for (const int c : order_) {
    const Clique& clique = cliques_[at(c)];
    if (late_only && !clique.late) continue;
    const auto& scope = scopes_[at(c)];
    Index block = clique.layout.cells(), begin = 0;
    std::size_t axis = 0;
    for (; axis < scope.size() && chosen[at(scope[axis])] >= 0; ++axis) {
      block /= clique.layout.extents[axis];
      begin += chosen[at(scope[axis])] * block;
    }
    Index cell = choose(std::span<const double>(clique.table).subspan(at(begin), at(block)));
    for (std::size_t k = scope.size(); k-- > axis;) {
      const Index state = cell % clique.layout.extents[k];
      cell /= clique.layout.extents[k];
      chosen[at(scope[k])] = state;
    }
  }
  choose(chosen);
}

namespace {

struct BestCell {
  std::span<std::int64_t> states;
  Index operator()(std::span<const double> block) const {
    return std::max_element(block.begin(), block.end()) - block.begin();
  }
  void operator()(const std::vector<Index>& chosen) const {
    for (std::size_t node = 0; node < chosen.size(); ++node) {
      if (chosen[node] >= 0) states[node] = chosen[node];
    }
  }
};

struct DrawnCell {
  Rng& rng;
  std::span<std::int32_t> states;
  Index operator()(std::span<const double> block) const {
    double left = rng.uniform() * total(block);
    Index last = 0;
    for (std::size_t k = 0; k < block.size(); ++k) {
      if (block[k] <= 0.0) continue;
      last = static_cast<Index>(k);
      left -= block[k];
      if (left < 0.0) break;
    }
    return last;
  }
  void operator()(const std::vector<Index>& chosen) const {
    for (std::size_t node = 0; node < chosen.size(); ++node) {
      if (chosen[node] >= 0) states[node] = static_cast<std::int32_t>(chosen[node]);
    }
  }
};

}  // namespace

void CliqueTree::best(std::span<std::int64_t> states, bool late_only) const {
  decode(BestCell{states}, late_only);
}

void CliqueTree::draw(Rng& rng, std::span<std::int32_t> states) const {
  decode(DrawnCell{rng, states}, false);
}

void CliqueTree::add_families(double weight, std::span<double> counts) {
  std::vector<double> totals(cliques_.size(), 0.0);
  for (std::size_t c = 0; c < cliques_.size(); ++c) totals[c] = total(cliques_[c].table);
  for (const Part& part : parts_) {
    double* out = counts.data() + model_.table_begins[at(part.node)] + part.offset;
    if (part.clique < 0) {
      *out += weight;
      continue;
    }
    const Clique& clique = cliques_[at(part.clique)];
    const double share = weight / totals[at(part.clique)];
    for (Index slab = 0; slab < clique.layout.slabs; ++slab) {
      add_scaled(part.operand, clique.table.data() + slab * clique.layout.slab, share,
                 out + part.operand.start(slab));
    }
  }
}

}  // namespace certus::graphical
