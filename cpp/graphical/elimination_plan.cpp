#include "graphical/elimination_plan.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "core/rng.hpp"
#include "core/view2d.hpp"

namespace certus::graphical {
namespace {

enum class Rule { kFill, kWeight };
constexpr std::uint64_t kOrders = 200;

constexpr double kBlur = 1.0;
constexpr double kStepsPerCell = 0.15;
using Neighbors = std::vector<std::vector<int>>;  // sorted

std::size_t at(int place) { return static_cast<std::size_t>(place); }

Neighbors interaction_graph(const EliminationInput& input) {
  Neighbors near(input.cards.size());
  for (const auto& scope : input.scopes) {
    for (const int a : scope) near[at(a)].insert(near[at(a)].end(), scope.begin(), scope.end());
  }
  for (std::size_t v = 0; v < near.size(); ++v) {
    std::sort(near[v].begin(), near[v].end());
    near[v].erase(std::unique(near[v].begin(), near[v].end()), near[v].end());
    std::erase(near[v], static_cast<int>(v));
  }
  return near;
}

Index common(const std::vector<int>& a, const std::vector<int>& b) {
  Index count = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) {
      ++count;
      ++i;
      ++j;
    } else if (*i < *j) {
      ++i;
    } else {
      ++j;
    }
  }
  return count;
}

// One greedy elimination; which variable goes next is decided by (late, score, tie, variable). With a seed
// scores are blurred, which leads to other orders, of which some are better.
class Elimination {
 public:
  Elimination(const EliminationInput& input, Neighbors near, Rule rule, std::uint64_t seed = 0)
      : input_(&input),
        near_(std::move(near)),
        rule_(rule),
        rng_(seed),
        blurred_(seed != 0),
        keys_(input.cards.size()) {}

  // Fills order and, per step, the neighbors left; false if stopped, or if it takes more cells than `most`.
  bool run(StopToken& stop, double most = std::numeric_limits<double>::infinity()) {
    for (std::size_t v = 0; v < keys_.size(); ++v) enqueue(static_cast<int>(v));
    while (!queue_.empty()) {
      if (cells >= most || stop.poll()) return false;
      const int v = std::get<3>(*queue_.begin());
      queue_.erase(queue_.begin());
      eliminate(v);
    }
    return true;
  }

  std::vector<int> order;
  std::vector<std::vector<int>> left;  // neighbors at the time of elimination, per step
  double cells = 0.0;
  double steps = 0.0;  // neighbors looked at, a measure of the time it took

 private:
  using Key = std::tuple<bool, double, double, int>;

  double table(int v) const {
    double size = static_cast<double>(input_->cards[at(v)]);
    for (const int u : near_[at(v)]) size *= static_cast<double>(input_->cards[at(u)]);
    return size;
  }
  double fill(int v) {
    const auto& own = near_[at(v)];
    const auto degree = static_cast<Index>(own.size());
    Index linked = 0;
    for (const int u : own) {
      linked += common(own, near_[at(u)]);
      steps += static_cast<double>(own.size() + near_[at(u)].size());
    }
    return static_cast<double>(degree * (degree - 1) - linked) / 2.0;
  }
  void enqueue(int v) {
    double first = rule_ == Rule::kFill ? fill(v) : table(v);
    if (blurred_) first = (first + 1.0) * (1.0 + kBlur * rng_.uniform());
    const double second = rule_ == Rule::kFill ? table(v) : fill(v);
    keys_[at(v)] = {input_->late[at(v)] != 0, first, second, v};
    queue_.insert(keys_[at(v)]);
  }
  void eliminate(int v) {
    const std::vector<int> own = std::move(near_[at(v)]);
    near_[at(v)].clear();
    std::set<int> changed(own.begin(), own.end());
    cells += [&] {
      double size = static_cast<double>(input_->cards[at(v)]);
      for (const int u : own) size *= static_cast<double>(input_->cards[at(u)]);
      return size;
    }();
    std::vector<int> joined;
    bool filled = false;
    for (const int u : own) {
      auto& other = near_[at(u)];
      joined.clear();
      std::set_union(other.begin(), other.end(), own.begin(), own.end(), std::back_inserter(joined));
      std::erase(joined, u);
      std::erase(joined, v);
      filled = filled || joined.size() + 1 > other.size();
      other.swap(joined);
    }
    if (filled && rule_ == Rule::kFill) {  // new edges change the fill-in of common neighbors
      for (const int u : own) changed.insert(near_[at(u)].begin(), near_[at(u)].end());
    }
    for (const int u : changed) {
      queue_.erase(keys_[at(u)]);
      enqueue(u);
    }
    order.push_back(v);
    left.push_back(own);
  }

  const EliminationInput* input_;
  Neighbors near_;
  Rule rule_;
  Rng rng_;
  bool blurred_;
  std::vector<Key> keys_;
  std::set<Key> queue_;
};

// A variable's bucket joins its child's clique where it is contained in it and of the same kind.
EliminationPlan cliques_of(const EliminationInput& input, const Elimination& found) {
  const auto n = input.cards.size();
  std::vector<int> step(n);
  for (std::size_t k = 0; k < n; ++k) step[at(found.order[k])] = static_cast<int>(k);
  EliminationPlan plan;
  plan.home.assign(n, -1);
  std::vector<int> last(n, -1);  // per clique the step of the variable that it eliminates last
  for (std::size_t k = 0; k < n; ++k) {
    const int v = found.order[k];
    if (plan.home[at(v)] < 0) {
      plan.home[at(v)] = static_cast<int>(plan.cliques.size());
      CliqueShape shape;
      shape.axes = found.left[k];
      shape.axes.push_back(v);
      std::sort(shape.axes.begin(), shape.axes.end(),
                [&](int a, int b) { return step[at(a)] > step[at(b)]; });
      shape.late = input.late[at(v)] != 0;
      plan.cliques.push_back(std::move(shape));
    }
    const int own = plan.home[at(v)];
    last[at(own)] = static_cast<int>(k);
    if (found.left[k].empty()) continue;
    const int next = *std::min_element(found.left[k].begin(), found.left[k].end(),
                                       [&](int a, int b) { return step[at(a)] < step[at(b)]; });
    const bool inside = found.left[at(step[at(next)])].size() + 1 == found.left[k].size();
    const bool alike = (input.late[at(next)] != 0) == plan.cliques[at(own)].late;
    if (inside && alike && plan.home[at(next)] < 0) plan.home[at(next)] = own;
  }
  for (std::size_t c = 0; c < plan.cliques.size(); ++c) {
    auto& shape = plan.cliques[c];
    const auto& separator = found.left[at(last[c])];
    shape.separator = static_cast<int>(separator.size());
    if (!separator.empty()) shape.parent = plan.home[at(shape.axes[at(shape.separator - 1)])];
    double cells = 1.0;
    for (const int v : shape.axes) cells *= static_cast<double>(input.cards[at(v)]);
    plan.cells += cells;
    plan.largest = std::max(plan.largest, cells);
    plan.width = std::max(plan.width, static_cast<int>(shape.axes.size()) - 1);
  }
  return plan;
}

}  // namespace

EliminationPlan plan_elimination(const EliminationInput& input, StopToken& stop) {
  const Neighbors near = interaction_graph(input);
  Elimination best(input, near, Rule::kFill);
  if (!best.run(stop)) return {};
  if (best.cells <= 64.0 * static_cast<double>(input.cards.size())) return cliques_of(input, best);
  Elimination weight(input, near, Rule::kWeight);
  if (!weight.run(stop)) return {};
  double left = -best.steps - weight.steps;
  if (weight.cells < best.cells) best = std::move(weight);
  // More orders, for a small part of the time that the messages will take.
  for (std::uint64_t seed = 1; seed <= kOrders; ++seed) {
    Elimination other(input, near, seed % 2 == 0 ? Rule::kFill : Rule::kWeight, seed);
    const bool done = other.run(stop, best.cells);
    left -= other.steps;
    if (done) best = std::move(other);
    if (stop.poll()) return {};
    if (left + kStepsPerCell * best.cells < 0.0) break;
  }
  return cliques_of(input, best);
}

}  // namespace certus::graphical
