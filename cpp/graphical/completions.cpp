#include "graphical/completions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "core/parallel.hpp"

namespace certus::graphical {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

struct Part {
  std::vector<std::int32_t> nodes;     // missing
  std::vector<std::int32_t> families;  // that contain one of them
  std::vector<std::int64_t> strides;   // of every family (rows) for every node (columns)
  std::size_t completions = 1;
};

struct Plan {
  std::vector<std::int32_t> complete;  // families without a missing node
  std::vector<Part> parts;
};

class Planner {
 public:
  Planner(const NetworkModel& network, bool observed_only)
      : network_(network),
        n_(static_cast<std::size_t>(network.nodes())),
        observed_only_(observed_only),
        members_(n_),
        families_of_(n_) {
    for (std::size_t k = 0; k < n_; ++k) {
      for (const std::int64_t parent : network.parents_of(static_cast<Index>(k)))
        members_[k].push_back(static_cast<std::int32_t>(parent));
      members_[k].push_back(static_cast<std::int32_t>(k));
      for (const std::int32_t v : members_[k])
        families_of_[static_cast<std::size_t>(v)].push_back(static_cast<std::int32_t>(k));
    }
  }

  // The parents of a node, and the node itself.
  const std::vector<std::int32_t>& members(std::size_t k) const { return members_[k]; }

  Plan plan(const std::int32_t* row) const {
    const std::vector<char> kept = kept_families(row);
    Plan found;
    std::vector<char> seen(n_, 0);
    for (std::size_t k = 0; k < n_; ++k) {
      if (!kept[k]) continue;
      const auto& inside = members(k);
      if (std::all_of(inside.begin(), inside.end(), [&](std::int32_t v) { return row[v] >= 0; }))
        found.complete.push_back(static_cast<std::int32_t>(k));
    }
    for (std::size_t v = 0; v < n_; ++v)
      if (row[v] < 0 && kept[v] && !seen[v]) found.parts.push_back(part(row, v, kept, seen));
    return found;
  }

  // The completions of the largest part, as a number that cannot overflow.
  double largest(const Plan& plan) const {
    double most = 1.0;
    for (const Part& part : plan.parts) {
      double size = 1.0;
      for (const std::int32_t v : part.nodes) size *= network_.card(v);
      most = std::max(most, size);
    }
    return most;
  }

 private:
  // Families of nodes that are observed or have an observed descendant; all of them unless only those matter.
  std::vector<char> kept_families(const std::int32_t* row) const {
    std::vector<char> kept(n_, observed_only_ ? 0 : 1);
    if (!observed_only_) return kept;
    std::vector<std::size_t> open;
    for (std::size_t v = 0; v < n_; ++v)
      if (row[v] >= 0) open.push_back(v);
    while (!open.empty()) {
      const std::size_t v = open.back();
      open.pop_back();
      if (kept[v]) continue;
      kept[v] = 1;
      for (const std::int32_t u : members(v)) open.push_back(static_cast<std::size_t>(u));
    }
    return kept;
  }

  Part part(const std::int32_t* row, std::size_t start, const std::vector<char>& kept,
            std::vector<char>& seen) const {
    Part found;
    std::vector<char> touched(n_, 0);
    std::vector<std::size_t> open{start};
    seen[start] = 1;
    while (!open.empty()) {
      const std::size_t v = open.back();
      open.pop_back();
      found.nodes.push_back(static_cast<std::int32_t>(v));
      for (const std::int32_t family : families_of_[v]) {
        const auto k = static_cast<std::size_t>(family);
        if (touched[k] || !kept[k]) continue;
        touched[k] = 1;
        found.families.push_back(family);
        for (const std::int32_t u : members(k)) {
          const auto other = static_cast<std::size_t>(u);
          if (row[u] >= 0 || seen[other]) continue;
          seen[other] = 1;
          open.push_back(other);
        }
      }
    }
    std::sort(found.nodes.begin(), found.nodes.end());
    std::sort(found.families.begin(), found.families.end());
    set_strides(found);
    return found;
  }

  void set_strides(Part& part) const {
    part.strides.assign(part.families.size() * part.nodes.size(), 0);
    for (std::size_t f = 0; f < part.families.size(); ++f) {
      const auto& inside = members(static_cast<std::size_t>(part.families[f]));
      std::int64_t stride = 1;
      for (std::size_t j = inside.size(); j-- > 0;) {
        const auto place = std::lower_bound(part.nodes.begin(), part.nodes.end(), inside[j]);
        if (place != part.nodes.end() && *place == inside[j])
          part.strides[f * part.nodes.size() + static_cast<std::size_t>(place - part.nodes.begin())] = stride;
        stride *= network_.card(inside[j]);
      }
    }
    for (const std::int32_t v : part.nodes) part.completions *= static_cast<std::size_t>(network_.card(v));
  }

  const NetworkModel& network_;
  std::size_t n_;
  bool observed_only_;
  std::vector<std::vector<std::int32_t>> members_;
  std::vector<std::vector<std::int32_t>> families_of_;
};

// The plans of all patterns, and which one each row has.
struct Plans {
  std::vector<Plan> plans;
  std::vector<std::size_t> of_row;
};

Plans all_plans(const Planner& planner, View2D<const std::int32_t> rows, StopToken& stop) {
  Plans found;
  found.of_row.resize(static_cast<std::size_t>(rows.rows), 0);
  std::unordered_map<std::string, std::size_t> known;
  std::string pattern(static_cast<std::size_t>(rows.cols), '0');
  for (Index i = 0; i < rows.rows && !stop.poll(); ++i) {
    for (Index j = 0; j < rows.cols; ++j) pattern[static_cast<std::size_t>(j)] = rows(i, j) < 0 ? '1' : '0';
    const auto [place, is_new] = known.try_emplace(pattern, found.plans.size());
    if (is_new) found.plans.push_back(planner.plan(rows.row(i)));
    found.of_row[static_cast<std::size_t>(i)] = place->second;
  }
  return found;
}

// Works on one row after the other; scratch memory is kept.
class RowSum {
 public:
  RowSum(const NetworkModel& network, const Planner& planner, std::span<const double> logs)
      : network_(network), planner_(planner), logs_(logs) {}

  // ln P(observed cells); adds weight times expected counts if there are any to add to.
  double operator()(const Plan& plan, const std::int32_t* row, double weight, double* counts) {
    double total = 0.0;
    ends_.clear();
    for (const std::int32_t k : plan.complete) total += logs_[start_cell(k, row)];
    for (const Part& part : plan.parts) {
      total += part_sum(part, row);
      if (counts) ends_.push_back(values_.size());
    }
    if (!counts || total == kNever) {
      values_.clear();
      return total;
    }
    for (const std::int32_t k : plan.complete) counts[start_cell(k, row)] += weight;
    std::size_t begin = 0;
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      const double* const shares = values_.data() + begin;
      visit(plan.parts[p], row, [&](std::size_t c, std::span<const std::size_t> cells) {
        for (const std::size_t cell : cells) counts[cell] += weight * shares[c];
      });
      begin = ends_[p];
    }
    values_.clear();
    return total;
  }

 private:
  std::size_t start_cell(std::int32_t family, const std::int32_t* row) const {
    const auto k = static_cast<std::size_t>(family);
    std::int64_t cell = 0;
    for (const std::int32_t v : planner_.members(k)) cell = cell * network_.card(v) + std::max(row[v], 0);
    return static_cast<std::size_t>(network_.table_begins[k] + cell);
  }

  // Calls look(completion, cells of the families) for all completions of a part.
  template <class Look>
  void visit(const Part& part, const std::int32_t* row, Look&& look) {
    const std::size_t width = part.nodes.size();
    state_.assign(width, 0);
    cells_.clear();
    for (const std::int32_t k : part.families) cells_.push_back(start_cell(k, row));
    for (std::size_t c = 0; c < part.completions; ++c) {
      look(c, std::span<const std::size_t>(cells_));
      for (std::size_t v = width; v-- > 0;) {
        const auto arity = network_.card(part.nodes[v]);
        const std::int64_t steps = ++state_[v] < arity ? 1 : 1 - arity;
        for (std::size_t f = 0; f < cells_.size(); ++f)
          cells_[f] +=
              static_cast<std::size_t>(steps * part.strides[f * width + v]);  // wraps back when negative
        if (steps == 1) break;
        state_[v] = 0;
      }
    }
  }

  // ln of the sum over the completions; leaves their shares at the end of the values.
  double part_sum(const Part& part, const std::int32_t* row) {
    const std::size_t begin = values_.size();
    double most = kNever;
    visit(part, row, [&](std::size_t, std::span<const std::size_t> cells) {
      double found = 0.0;
      for (const std::size_t cell : cells) found += logs_[cell];
      most = std::max(most, found);
      values_.push_back(found);
    });
    if (most == kNever) return kNever;
    double sum = 0.0;
    for (std::size_t c = begin; c < values_.size(); ++c) sum += values_[c] = std::exp(values_[c] - most);
    for (std::size_t c = begin; c < values_.size(); ++c) values_[c] /= sum;
    return most + std::log(sum);
  }

  const NetworkModel& network_;
  const Planner& planner_;
  std::span<const double> logs_;
  std::vector<double> values_;
  std::vector<std::size_t> ends_, cells_;
  std::vector<std::int64_t> state_;
};

std::vector<double> logarithms(const NetworkModel& network) {
  std::vector<double> found(network.values.begin(), network.values.end());
  for (double& value : found) value = std::log(value);
  return found;
}

}  // namespace

double most_completions(const NetworkModel& network, View2D<const std::int32_t> rows, bool observed_only,
                        StopToken& stop) {
  const Planner planner(network, observed_only);
  double most = 1.0;
  for (const Plan& plan : all_plans(planner, rows, stop).plans) most = std::max(most, planner.largest(plan));
  return most;
}

void row_likelihoods(const NetworkModel& network, View2D<const std::int32_t> rows, std::span<double> out,
                     int threads, StopToken& stop) {
  const Planner planner(network, true);
  const Plans plans = all_plans(planner, rows, stop);
  const std::vector<double> logs = logarithms(network);
  parallel_ranges(rows.rows, 256, threads, stop, [&](Index first, Index last, int) {
    RowSum sum(network, planner, logs);
    for (Index i = first; i < last && !stop.poll(); ++i) {
      const auto place = static_cast<std::size_t>(i);
      out[place] = sum(plans.plans[plans.of_row[place]], rows.row(i), 0.0, nullptr);
    }
  });
}

void expected_counts(const NetworkModel& network, View2D<const std::int32_t> rows,
                     std::span<const double> weights, std::span<double> out, std::span<double> counts,
                     int threads, StopToken& stop) {
  const Planner planner(network, false);
  const Plans plans = all_plans(planner, rows, stop);
  const std::vector<double> logs = logarithms(network);
  const Index block = std::max<Index>(256, (rows.rows + 31) / 32);  // at most 32 copies of the counts
  using Counts = std::vector<double>;
  const Counts total = ordered_reduce<Counts>(
      block_count(rows.rows, block), threads, stop, Counts(counts.begin(), counts.end()),
      [&](Index b) {
        Counts own(counts.size(), 0.0);
        RowSum sum(network, planner, logs);
        for (Index i = b * block; i < std::min(rows.rows, (b + 1) * block) && !stop.poll(); ++i) {
          const auto place = static_cast<std::size_t>(i);
          out[place] = sum(plans.plans[plans.of_row[place]], rows.row(i), weights[place], own.data());
        }
        return own;
      },
      [](Counts left, Counts right) {
        for (std::size_t k = 0; k < left.size(); ++k) left[k] += right[k];
        return left;
      });
  std::copy(total.begin(), total.end(), counts.begin());
}

}  // namespace certus::graphical
