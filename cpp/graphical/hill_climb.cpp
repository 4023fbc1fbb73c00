#include "graphical/hill_climb.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

#include "core/rng.hpp"

namespace certus::graphical {
namespace {

enum class Kind : int { add, remove, reverse, swap };

struct Step {
  Kind kind = Kind::add;
  Column from = -1;
  Column to = -1;
  double gain = -std::numeric_limits<double>::infinity();
  Column leaving = -1;  // the parent that a swap puts out
};

// Which nodes reach which, as rows of bits.
class Reach {
 public:
  explicit Reach(std::size_t nodes) : words_((nodes + 63) / 64), bits_(nodes * words_) {}

  // From parents: the descendants of every node and the node itself, children first.
  void renew(const std::vector<ColumnSet>& parents) {
    const std::size_t n = parents.size();
    std::fill(bits_.begin(), bits_.end(), 0);
    std::vector<Index> children(n, 0);
    for (const auto& set : parents)
      for (const Column p : set) ++children[static_cast<std::size_t>(p)];
    std::vector<std::size_t> ready;
    for (std::size_t v = 0; v < n; ++v)
      if (children[v] == 0) ready.push_back(v);
    while (!ready.empty()) {
      const std::size_t v = ready.back();
      ready.pop_back();
      bits_[v * words_ + v / 64] |= std::uint64_t{1} << (v % 64);
      for (const Column parent : parents[v]) {
        const auto p = static_cast<std::size_t>(parent);
        for (std::size_t w = 0; w < words_; ++w) bits_[p * words_ + w] |= bits_[v * words_ + w];
        if (--children[p] == 0) ready.push_back(p);
      }
    }
  }
  bool operator()(Column from, Column to) const {
    const auto f = static_cast<std::size_t>(from);
    const auto t = static_cast<std::size_t>(to);
    return bits_[f * words_ + t / 64] >> (t % 64) & 1;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

bool contains(const ColumnSet& set, Column column) {
  return std::binary_search(set.begin(), set.end(), column);
}

class Climb {
 public:
  Climb(SetSums& sums, View2D<const std::uint8_t> allowed, View2D<const std::uint8_t> required,
        const ClimbLimits& limits, StopToken& stop)
      : sums_(sums),
        allowed_(allowed),
        required_(required),
        limits_(limits),
        stop_(stop),
        n_(static_cast<Column>(sums.rows().columns())),
        reach_(static_cast<std::size_t>(n_)),
        gains_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_)),
        swaps_(static_cast<std::size_t>(n_)) {}

  // The best network on the way from this one; parents and score are replaced.
  double run(std::vector<ColumnSet>& parents) {
    parents_ = parents;
    families_.assign(static_cast<std::size_t>(n_), 0.0);
    for (Column c = 0; c < n_; ++c) renew_gains(c);
    double score = total();
    double best = score;
    std::deque<Step> recent;
    for (Index idle = 0; idle <= limits_.patience && !stop_.poll();) {
      reach_.renew(parents_);
      const Step step = best_step(recent);
      if (step.from < 0 || (step.gain <= tolerance(score) && limits_.patience == 0)) break;
      make(step);
      recent.push_back(step);
      if (static_cast<Index>(recent.size()) > limits_.remembered) recent.pop_front();
      score = total();
      if (score > best + tolerance(best)) {
        best = score;
        parents = parents_;
        idle = 0;
      } else {
        ++idle;
      }
    }
    return best;
  }

  // The network after some random legal steps.
  std::vector<ColumnSet> shaken(std::vector<ColumnSet> parents, Index steps, Rng& rng) {
    parents_ = std::move(parents);
    for (Index k = 0; k < steps && !stop_.poll(); ++k) {
      reach_.renew(parents_);
      std::vector<Step> legal;
      for (Column c = 0; c < n_; ++c)
        for (Column p = 0; p < n_; ++p)
          for (const Kind kind : {Kind::add, Kind::remove, Kind::reverse})
            if (is_legal(kind, p, c)) legal.push_back({kind, p, c, 0.0, -1});
      if (legal.empty()) break;
      change(legal[static_cast<std::size_t>(rng.below(legal.size()))]);
    }
    return parents_;
  }

 private:
  static double tolerance(double score) { return 1e-10 * (1.0 + std::abs(score)); }
  double total() const { return std::accumulate(families_.begin(), families_.end(), 0.0); }
  ColumnSet& parents_of(Column c) { return parents_[static_cast<std::size_t>(c)]; }
  double& gain(Column p, Column c) {
    return gains_[static_cast<std::size_t>(c) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(p)];
  }
  bool room(Column c) {
    return static_cast<Index>(parents_of(c).size()) < limits_.most_parents[static_cast<std::size_t>(c)];
  }

  // What changes when p enters or leaves the parents of c, for all p.
  void renew_gains(Column c) {
    const ColumnSet& now = parents_of(c);
    std::vector<Column> children{c};
    std::vector<ColumnSet> sets{now};
    std::vector<Column> moved{-1};
    const bool more = room(c);
    for (Column p = 0; p < n_; ++p) {
      if (p == c) continue;
      const bool is_parent = contains(now, p);
      gain(p, c) = -std::numeric_limits<double>::infinity();
      if (is_parent ? required_(p, c) : !more || !allowed_(p, c)) continue;
      children.push_back(c);
      sets.push_back(is_parent ? without(now, p) : with(now, p));
      moved.push_back(p);
    }
    std::vector<double> found(sets.size());
    sums_.score(children, sets, found, limits_.threads, stop_);
    families_[static_cast<std::size_t>(c)] = found[0];
    for (std::size_t k = 1; k < sets.size(); ++k) gain(moved[k], c) = found[k] - found[0];
    renew_swaps(c);
  }

  // What changes when p takes the place of a parent of c that has as many as it may.
  void renew_swaps(Column c) {
    auto& swaps = swaps_[static_cast<std::size_t>(c)];
    swaps.clear();
    if (room(c)) return;
    std::vector<Column> children;
    std::vector<ColumnSet> sets;
    for (const Column leaving : parents_of(c)) {
      if (required_(leaving, c)) continue;
      const ColumnSet left = without(parents_of(c), leaving);
      for (Column p = 0; p < n_; ++p) {
        if (p == c || !allowed_(p, c) || contains(parents_of(c), p)) continue;
        swaps.push_back({Kind::swap, p, c, 0.0, leaving});
        children.push_back(c);
        sets.push_back(with(left, p));
      }
    }
    std::vector<double> found(sets.size());
    sums_.score(children, sets, found, limits_.threads, stop_);
    for (std::size_t k = 0; k < swaps.size(); ++k)
      swaps[k].gain = found[k] - families_[static_cast<std::size_t>(c)];
  }

  bool is_legal(Kind kind, Column p, Column c) {
    if (p == c) return false;
    const bool is_parent = contains(parents_of(c), p);
    if (kind == Kind::add)
      return !is_parent && !contains(parents_of(p), c) && allowed_(p, c) && room(c) && !reach_(c, p);
    if (kind == Kind::swap) return !reach_(c, p);
    if (!is_parent || required_(p, c)) return false;
    if (kind == Kind::remove) return true;
    if (!allowed_(c, p) || !room(p)) return false;
    for (const Column other : parents_of(c))  // a path p -> ... -> c besides the arc ends in another parent
      if (other != p && reach_(p, other)) return false;
    return true;
  }

  // Whether a step puts an arc out that came lately, or brings one back that left.
  static bool undoes(const Step& step, const std::deque<Step>& recent) {
    const auto adds = [](const Step& s, Column from, Column to) {
      if (s.kind == Kind::reverse) return s.from == to && s.to == from;
      return s.kind != Kind::remove && s.from == from && s.to == to;
    };
    const auto drops = [](const Step& s, Column from, Column to) {
      if (s.kind == Kind::swap) return s.leaving == from && s.to == to;
      return s.kind != Kind::add && s.from == from && s.to == to;
    };
    return std::any_of(recent.begin(), recent.end(), [&](const Step& old) {
      switch (old.kind) {
        case Kind::add:
          return drops(step, old.from, old.to);
        case Kind::remove:
          return adds(step, old.from, old.to);
        case Kind::reverse:
          return drops(step, old.to, old.from);
        default:
          return drops(step, old.from, old.to) || adds(step, old.leaving, old.to);
      }
    });
  }

  Step best_step(const std::deque<Step>& recent) {
    Step best;
    const auto look = [&](Kind kind, Column p, Column c, double gained) {
      if (gained > best.gain && is_legal(kind, p, c) && !undoes({kind, p, c, 0.0, -1}, recent))
        best = {kind, p, c, gained, -1};
    };
    for (Column c = 0; c < n_; ++c) {
      for (Column p = 0; p < n_; ++p) {
        if (p == c) continue;
        if (!contains(parents_of(c), p)) {
          look(Kind::add, p, c, gain(p, c));
        } else {
          look(Kind::remove, p, c, gain(p, c));
          look(Kind::reverse, p, c, gain(p, c) + gain(c, p));
        }
      }
      for (const Step& step : swaps_[static_cast<std::size_t>(c)])
        if (step.gain > best.gain && is_legal(Kind::swap, step.from, c) && !undoes(step, recent)) best = step;
    }
    return best;
  }

  void change(const Step& step) {
    ColumnSet& set = parents_of(step.to);
    if (step.kind == Kind::swap) set = without(set, step.leaving);
    set = step.kind == Kind::add || step.kind == Kind::swap ? with(set, step.from) : without(set, step.from);
    if (step.kind == Kind::reverse) parents_of(step.from) = with(parents_of(step.from), step.to);
  }

  void make(const Step& step) {
    change(step);
    renew_gains(step.to);
    if (step.kind == Kind::reverse) renew_gains(step.from);
  }

  SetSums& sums_;
  View2D<const std::uint8_t> allowed_, required_;
  const ClimbLimits& limits_;
  StopToken& stop_;
  Column n_;
  Reach reach_;
  std::vector<double> gains_;
  std::vector<std::vector<Step>> swaps_;
  std::vector<double> families_;
  std::vector<ColumnSet> parents_;
};

}  // namespace

double hill_climb(SetSums& sums, View2D<const std::uint8_t> allowed, View2D<const std::uint8_t> required,
                  const ClimbLimits& limits, std::vector<ColumnSet>& parents, StopToken& stop) {
  Climb climb(sums, allowed, required, limits, stop);
  double best = climb.run(parents);
  const Index shakes = std::max<Index>(4, sums.rows().columns() / 4);
  for (Index k = 0; k < limits.restarts && !stop.poll(); ++k) {
    Rng rng(limits.seed, static_cast<std::uint64_t>(k));
    std::vector<ColumnSet> other = climb.shaken(parents, shakes, rng);
    const double found = climb.run(other);
    if (found > best) {
      best = found;
      parents = std::move(other);
    }
  }
  return best;
}

}  // namespace certus::graphical
