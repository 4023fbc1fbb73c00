#include "graphical/best_network.hpp"

#include <bit>
#include <limits>
#include <vector>

namespace certus::graphical {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// The set without the place of the child: higher bits move down by one.
std::size_t squeezed(std::size_t set, Column child) {
  const std::size_t low = (std::size_t{1} << child) - 1;
  return (set & low) | ((set >> 1) & ~low);
}

std::size_t widened(std::size_t set, Column child) {
  const std::size_t low = (std::size_t{1} << child) - 1;
  return (set & low) | ((set & ~low) << 1);
}

}  // namespace

void best_parents(const SetSums& sums, const ParentRule& rule, std::span<const double> joint,
                  std::span<const double> parent, std::span<double> best, std::span<std::uint32_t> which,
                  StopToken& stop) {
  const CodedRows& rows = sums.rows();
  const Column others = static_cast<Column>(rows.columns()) - 1;
  const std::size_t sets = std::size_t{1} << others;
  const std::size_t own = std::size_t{1} << rule.child;
  std::vector<double> cells(sets);
  for (std::size_t set = 0; set < sets; ++set) {
    const auto lowest = static_cast<Column>(std::countr_zero(set | sets));
    const auto column = static_cast<std::size_t>(lowest < rule.child ? lowest : lowest + 1);
    cells[set] = set == 0 ? 1.0 : cells[set & (set - 1)] * rows.arities[column];
    const std::size_t wide = widened(set, rule.child);
    const bool fits = (wide & ~rule.allowed) == 0 && (rule.required & ~wide) == 0 &&
                      static_cast<Index>(std::popcount(set)) <= rule.most;
    const double free = cells[set] * (rows.arities[static_cast<std::size_t>(rule.child)] - 1);
    best[set] = fits ? joint[wide | own] - parent[wide] - sums.rule().penalty * free : kNever;
    which[set] = static_cast<std::uint32_t>(wide);
  }
  for (Column j = 0; j < others && !stop.poll(); ++j) {
    const std::size_t bit = std::size_t{1} << j;
    for (std::size_t set = 0; set < sets; ++set) {
      if (!(set & bit) || !(best[set ^ bit] >= best[set])) continue;  // of equal ones the smaller set
      best[set] = best[set ^ bit];
      which[set] = which[set ^ bit];
    }
  }
}

double best_network(View2D<const double> best, View2D<const std::uint32_t> which,
                    std::span<std::uint32_t> parents, StopToken& stop) {
  const auto n = static_cast<Column>(best.rows);
  const std::size_t sets = std::size_t{1} << n;
  std::vector<double> value(sets, kNever);
  std::vector<std::int8_t> last(sets, -1);
  value[0] = 0.0;
  for (std::size_t set = 1; set < sets; ++set) {
    if ((set & 0xffff) == 0 && stop.poll()) return kNever;
    for (Column v = 0; v < n; ++v) {
      const std::size_t bit = std::size_t{1} << v;
      if (!(set & bit)) continue;
      const double found = value[set ^ bit] + best(v, static_cast<Index>(squeezed(set ^ bit, v)));
      if (found > value[set]) {
        value[set] = found;
        last[set] = static_cast<std::int8_t>(v);
      }
    }
  }
  if (value[sets - 1] == kNever) return kNever;
  for (std::size_t set = sets - 1; set != 0;) {
    const auto v = static_cast<Column>(last[set]);
    set ^= std::size_t{1} << v;
    parents[static_cast<std::size_t>(v)] = which(v, static_cast<Index>(squeezed(set, v)));
  }
  return value[sets - 1];
}

}  // namespace certus::graphical
