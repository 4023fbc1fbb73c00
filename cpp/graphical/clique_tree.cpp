#include "graphical/clique_tree.hpp"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "graphical/message_scale.hpp"

namespace certus::graphical {
namespace {

std::size_t at(Index place) { return static_cast<std::size_t>(place); }

constexpr std::size_t kRound = 8;  // factors between two looks at the size of a product

// Whether, in this thread and since the start, a result was rounded because it is below the smallest normal
// number. The fences keep the compiler from moving loads before the start or stores behind the look, and with
// them the arithmetic in between.
struct TooSmall {
  TooSmall() {
    std::feclearexcept(FE_UNDERFLOW);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  bool seen() const {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return std::fetestexcept(FE_UNDERFLOW) != 0;
  }
};

}  // namespace

CliqueTree::CliqueTree(const NetworkModel& model, const TreeRequest& request, StopToken& stop)
    : model_(model),
      variable_(at(model.nodes()), -1),
      home_(at(model.nodes()), -1),
      weight_operand_(at(model.nodes())),
      weight_begin_(at(model.nodes()) + 1, 0),
      weighted_(at(model.nodes()), 0),
      states_(at(model.nodes()), -1) {
  EliminationInput input;
  std::vector<Index> extents;
  for (Index node = 0; node < model.nodes(); ++node) {
    weight_begin_[at(node) + 1] = weight_begin_[at(node)] + model.card(node);
    if (!request.kept[at(node)] || request.observed[at(node)]) continue;
    variable_[at(node)] = static_cast<int>(node_.size());
    node_.push_back(static_cast<int>(node));
    input.cards.push_back(model.card(node));
    extents.push_back(model.card(node));
    input.late.push_back(request.late.empty() ? std::uint8_t{0} : request.late[at(node)]);
  }
  const auto scope_of = [&](auto&& nodes) {
    std::vector<int> scope;
    for (const std::int64_t node : nodes) {
      if (variable_[at(node)] >= 0) scope.push_back(variable_[at(node)]);
    }
    return scope;
  };
  for (Index node = 0; node < model.nodes(); ++node) {
    if (!request.kept[at(node)]) continue;
    auto scope = scope_of(model.parents_of(node));
    if (variable_[at(node)] >= 0) scope.push_back(variable_[at(node)]);
    input.scopes.push_back(std::move(scope));
  }
  const auto joint = scope_of(request.joint);
  if (joint.size() > 1) input.scopes.push_back(joint);
  EliminationPlan plan = plan_elimination(input, stop);
  if (plan.home.size() != node_.size()) return;  // stopped
  cells_ = plan.cells;
  largest_ = plan.largest;
  width_ = plan.width;
  for (std::size_t c = 0; c < plan.cliques.size() && !joint.empty(); ++c) {
    const auto& axes = plan.cliques[c].axes;
    const bool all = std::all_of(joint.begin(), joint.end(),
                                 [&](int v) { return std::find(axes.begin(), axes.end(), v) != axes.end(); });
    if (all && (joint_root_ < 0 || axes.size() < plan.cliques[at(joint_root_)].axes.size())) {
      joint_root_ = static_cast<int>(c);
    }
  }
  plan_cliques(plan, extents, joint_root_);
  add_parts(request);
}

void CliqueTree::plan_cliques(const EliminationPlan& plan, const std::vector<Index>& extents, int root) {
  const std::size_t count = plan.cliques.size();
  cliques_.resize(count);
  std::vector<std::vector<int>> near(count);
  for (std::size_t c = 0; c < count; ++c) {
    const int parent = plan.cliques[c].parent;
    if (parent >= 0) {
      near[c].push_back(parent);
      near[at(parent)].push_back(static_cast<int>(c));
    }
    std::vector<Index> shape;
    std::vector<int> scope;
    for (const int v : plan.cliques[c].axes) {
      shape.push_back(extents[at(v)]);
      scope.push_back(node_[at(v)]);
    }
    cliques_[c].layout = Layout(std::move(shape));
    cliques_[c].late = plan.cliques[c].late;
    scopes_.push_back(std::move(scope));
  }
  // Roots: the one asked for, else those of the elimination, whose separators are prefixes.
  std::vector<std::uint8_t> seen(count, 0);
  const auto grow = [&](int from) {
    seen[at(from)] = 1;
    order_.push_back(from);
    for (std::size_t k = order_.size() - 1; k < order_.size(); ++k) {
      const int c = order_[k];
      for (const int next : near[at(c)]) {
        if (seen[at(next)]) continue;
        seen[at(next)] = 1;
        cliques_[at(next)].parent = c;
        cliques_[at(c)].children.push_back(next);
        order_.push_back(next);
      }
    }
  };
  if (root >= 0) grow(root);
  for (std::size_t c = 0; c < count; ++c) {
    if (plan.cliques[c].parent < 0 && !seen[c]) grow(static_cast<int>(c));
  }
  for (const int c : order_) {
    Clique& own = cliques_[at(c)];
    std::vector<int> shared;
    std::vector<Index> shape;
    if (own.parent >= 0) {
      const auto& other = scopes_[at(own.parent)];
      for (std::size_t axis = 0; axis < scopes_[at(c)].size(); ++axis) {
        if (std::find(other.begin(), other.end(), scopes_[at(c)][axis]) == other.end()) continue;
        shared.push_back(scopes_[at(c)][axis]);
        shape.push_back(own.layout.extents[axis]);
        own.message_cells *= shape.back();
      }
      own.from_parent = Operand(cliques_[at(own.parent)].layout, strides_over(other, shared, shape));
    }
    own.to_message = Operand(own.layout, strides_over(scopes_[at(c)], shared, shape));
  }
  for (std::size_t v = 0; v < node_.size(); ++v) {
    const int node = node_[v], home = plan.home[v];
    home_[at(node)] = home;
    weight_operand_[at(node)] = Operand(
        cliques_[at(home)].layout, strides_over(scopes_[at(home)], {node}, {static_cast<Index>(extents[v])}));
    cliques_[at(home)].own.push_back(node);
  }
}

void CliqueTree::add_parts(const TreeRequest& request) {
  for (Index node = 0; node < model_.nodes(); ++node) {
    if (!request.kept[at(node)]) continue;
    const auto parents = model_.parents_of(node);
    std::vector<std::pair<Index, Index>> free;  // node and stride
    Part part{node, -1, 0, {}, {}};
    Index stride = 1;
    for (auto k = static_cast<Index>(parents.size()); k >= 0; --k) {
      const Index axis = k == static_cast<Index>(parents.size()) ? node : parents[at(k)];
      (variable_[at(axis)] >= 0 ? free : part.sliced).emplace_back(axis, stride);
      stride *= model_.card(axis);
    }
    const auto place = static_cast<int>(parts_.size());
    if (free.empty()) {
      constants_.push_back(place);
    } else {
      // The clique that eliminates the first of the family's variables holds all of them: of the homes of its
      // members, one does; take the smallest that does.
      for (const auto& [member, own_stride] : free) {
        const int home = home_[at(member)];
        const auto& scope = scopes_[at(home)];
        const bool all = std::all_of(free.begin(), free.end(), [&](const auto& other) {
          return std::find(scope.begin(), scope.end(), static_cast<int>(other.first)) != scope.end();
        });
        if (all && (part.clique < 0 ||
                    cliques_[at(home)].layout.cells() < cliques_[at(part.clique)].layout.cells())) {
          part.clique = home;
        }
      }
      const auto& scope = scopes_[at(part.clique)];
      std::vector<Index> strides(scope.size(), 0);
      for (const auto& [member, own_stride] : free) {
        const auto axis = std::find(scope.begin(), scope.end(), static_cast<int>(member));
        strides[static_cast<std::size_t>(axis - scope.begin())] = own_stride;
      }
      part.operand = Operand(cliques_[at(part.clique)].layout, strides);
      cliques_[at(part.clique)].parts.push_back(place);
    }
    parts_.push_back(std::move(part));
  }
  roundings_ = static_cast<double>(constants_.size());
  for (const Clique& clique : cliques_) {
    const auto cells = static_cast<double>(clique.layout.cells());
    roundings_ += static_cast<double>(clique.parts.size() + clique.children.size() + clique.own.size()) +
                  3.0 + cells / static_cast<double>(clique.message_cells);
    if (clique.parent >= 0) {
      roundings_ += static_cast<double>(cliques_[at(clique.parent)].layout.cells()) /
                    static_cast<double>(clique.message_cells);
    }
  }
}

void CliqueTree::load(std::span<const std::int64_t> states, std::span<const double> weights) {
  const auto touch = [&](int clique) {
    for (; clique >= 0 && !cliques_[at(clique)].dirty; clique = cliques_[at(clique)].parent) {
      cliques_[at(clique)].dirty = true;
    }
  };
  if (!remember_ || !loaded_) {
    for (Clique& clique : cliques_) clique.dirty = true;
  }
  for (Part& part : parts_) {
    Index offset = 0;
    for (const auto& [node, stride] : part.sliced) offset += states[at(node)] * stride;
    if (offset != part.offset && part.clique >= 0) touch(part.clique);
    part.offset = offset;
  }
  std::copy(states.begin(), states.end(), states_.begin());
  for (const int node : node_) {
    const auto first = weight_begin_[at(node)], last = weight_begin_[at(node) + 1];
    bool now = false, same = weighted_[at(node)] != 0;
    for (Index k = first; k < last && !weights.empty(); ++k) {
      now = now || weights[at(k)] != 1.0;
      same = same && !weights_.empty() && weights_[at(k)] == weights[at(k)];
    }
    if (now != (weighted_[at(node)] != 0) || (now && !same)) touch(home_[at(node)]);
    weighted_[at(node)] = now ? 1 : 0;
  }
  weights_.assign(weights.begin(), weights.end());
  constant_ = 1.0;
  constant_exponent_ = 0;
  for (const int place : constants_) {
    constant_ *= model_.table(parts_[at(place)].node)[parts_[at(place)].offset];
    constant_exponent_ += scale({&constant_, 1});
  }
  loaded_ = true;
}

const double* CliqueTree::weight_of(int node) const { return weights_.data() + weight_begin_[at(node)]; }

std::vector<CliqueTree::Applied> CliqueTree::factors_of(const Clique& clique, const double* ratio) const {
  std::vector<Applied> found;
  for (const int place : clique.parts) {
    const Part& part = parts_[at(place)];
    found.push_back({&part.operand, model_.table(part.node) + part.offset});
  }
  for (const int node : clique.own) {
    if (weighted_[at(node)]) found.push_back({&weight_operand_[at(node)], weight_of(node)});
  }
  for (const int child : clique.children) {
    found.push_back({&cliques_[at(child)].from_parent, cliques_[at(child)].message.data()});
  }
  if (ratio != nullptr) found.push_back({&clique.to_message, ratio});
  return found;
}

void CliqueTree::fill(Clique& clique, const double* ratio, Into into, int threads, StopToken& stop) {
  const auto factors = factors_of(clique, ratio);
  clique.table.resize(at(clique.layout.cells()));
  std::int64_t exponent = 0;
  if (into != Into::kTable) clique.message.assign(at(clique.message_cells), 0.0);
  std::atomic<bool> lost{false};
  const auto apply = [&](std::size_t first, std::size_t last, bool reduce_too) {
    const bool apart = !reduce_too || clique.to_message.separates_slabs();
    parallel_for(
        clique.layout.slabs, apart && clique.layout.slabs > 1 ? threads : 1, stop, [&](Index slab, int) {
          const TooSmall small;
          double* out = clique.table.data() + slab * clique.layout.slab;
          if (factors.empty()) std::fill(out, out + clique.layout.slab, 1.0);
          for (std::size_t k = first; k < last; ++k) {
            const double* values = factors[k].values + factors[k].operand->start(slab);
            k == 0 ? assign(*factors[k].operand, values, out) : multiply(*factors[k].operand, values, out);
          }
          if (small.seen()) lost = true;
          if (!reduce_too) return;
          double* message = clique.message.data() + clique.to_message.start(slab);
          into == Into::kMax ? raise_to(clique.to_message, out, message)
                             : add_up(clique.to_message, out, message);
        });
  };
  std::size_t first = 0;
  for (; factors.size() - first > kRound; first += kRound) {
    apply(first, first + kRound, false);
    const TooSmall small;
    exponent += scale(clique.table);
    if (small.seen()) lost = true;
  }
  apply(first, factors.size(), into != Into::kTable);
  if (into != Into::kTable) clique.exponent = exponent;  // that of the message, which later answers need
  clique.filled = ratio == nullptr;
  clique.lost = (into == Into::kTable && clique.lost) || lost;
}

void CliqueTree::reduce(const Clique& clique, const Operand& operand, std::vector<double>& out,
                        bool maximise) const {
  for (Index slab = 0; slab < clique.layout.slabs; ++slab) {
    const double* table = clique.table.data() + slab * clique.layout.slab;
    double* to = out.data() + operand.start(slab);
    maximise ? raise_to(operand, table, to) : add_up(operand, table, to);
  }
}

bool CliqueTree::collect(Mode mode, bool drop, int threads, StopToken& stop) {
  if (mode != last_mode_) {
    for (Clique& clique : cliques_) clique.dirty = true;
  }
  last_mode_ = mode;
  recomputed_ = 0;
  for (auto c = order_.rbegin(); c != order_.rend(); ++c) {
    Clique& clique = cliques_[at(*c)];
    if (!clique.dirty) continue;
    if (stop.poll()) return true;
    const bool maximise = mode == Mode::kMax || (mode == Mode::kSumThenMax && clique.late);
    fill(clique, nullptr, maximise ? Into::kMax : Into::kSum, threads, stop);
    const TooSmall small;
    clique.exponent += scale(clique.message);
    clique.lost = clique.lost || small.seen();
    for (const int child : clique.children) clique.exponent += cliques_[at(child)].exponent;
    clique.dirty = !remember_;
    ++recomputed_;
    if (drop && clique.parent >= 0) {
      std::vector<double>().swap(clique.table);
      clique.filled = false;
      for (const int child : clique.children) std::vector<double>().swap(cliques_[at(child)].message);
    }
  }
  return std::isfinite(log_total());
}

double CliqueTree::peak(bool drop) const {
  double now = 0.0, most = 0.0;
  for (auto c = order_.rbegin(); c != order_.rend(); ++c) {
    const Clique& clique = cliques_[at(*c)];
    const auto cells = static_cast<double>(clique.layout.cells()),
               message = static_cast<double>(clique.message_cells);
    now += cells + message;
    most = std::max(most, now);
    if (!drop || clique.parent < 0) continue;
    now -= cells;
    for (const int child : clique.children) now -= static_cast<double>(cliques_[at(child)].message_cells);
  }
  return most;
}

double CliqueTree::log_total() const {
  double value = constant_;
  std::int64_t exponent = constant_exponent_;
  for (const int c : order_) {
    if (cliques_[at(c)].parent >= 0) continue;
    value *= cliques_[at(c)].message[0];
    exponent += cliques_[at(c)].exponent + scale({&value, 1});
  }
  return std::log(value) + static_cast<double>(exponent) * std::log(2.0);
}

void CliqueTree::distribute(int threads, StopToken& stop) {
  for (const int c : order_) {
    if (stop.poll()) return;
    Clique& clique = cliques_[at(c)];
    if (clique.parent < 0) {
      if (!clique.filled) fill(clique, nullptr, Into::kTable, threads, stop);
      continue;
    }
    const TooSmall small;
    clique.ratio.assign(at(clique.message_cells), 0.0);
    reduce(cliques_[at(clique.parent)], clique.from_parent, clique.ratio, false);
    for (std::size_t k = 0; k < clique.ratio.size(); ++k) {
      clique.ratio[k] = clique.message[k] > 0.0 ? clique.ratio[k] / clique.message[k] : 0.0;
    }
    scale(clique.ratio);
    clique.lost = clique.lost || small.seen();
    if (!clique.filled) {
      fill(clique, clique.ratio.data(), Into::kTable, threads, stop);
      continue;
    }
    std::atomic<bool> lost{false};
    parallel_for(clique.layout.slabs, clique.layout.slabs > 1 ? threads : 1, stop, [&](Index slab, int) {
      const TooSmall inside;
      multiply(clique.to_message, clique.ratio.data() + clique.to_message.start(slab),
               clique.table.data() + slab * clique.layout.slab);
      if (inside.seen()) lost = true;
    });
    clique.lost = clique.lost || lost;
    clique.filled = false;
  }
}

}  // namespace certus::graphical
