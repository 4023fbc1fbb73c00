// One criterion, searching splits: what a node is worth, and the best border in each of its columns.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "trees/scan.hpp"
#include "trees/target.hpp"

namespace certus::trees {

enum class CriterionKind : int {
  gini = 0,
  entropy,
  misclassification,
  squared_error,
  absolute_error,
  poisson
};

class SplitSearch {
 public:
  virtual ~SplitSearch() = default;

  // Weight, impurity and totals of a set of rows.
  virtual Summary summarize(std::span<const Row> rows) const = 0;
  // What the tree predicts for such a set; `value` holds outputs x max_classes numbers.
  virtual void write_value(const Summary& summary, double* value) const = 0;
  // Gets ready to search the columns of a node with these rows, `by_rows` if they are read in the order of
  // the rows (bins, and values in no order). Different nodes may be prepared at the same time by different
  // searches made with `another`, as long as they share no row.
  virtual void prepare(const Summary& summary, std::span<const Row> rows, bool by_rows) = 0;
  // The best allowed border of one column of the prepared node; `worker` names the scratch space. Missing
  // values are tried on both sides.
  virtual Candidate best(const ColumnView& view, const SplitRules& rules, int worker) = 0;
  // One given split, if it is allowed: the first `cut` listed values go left, zeros if 0 <= threshold.
  virtual Candidate at(const ColumnView& view, const SplitRules& rules, Index cut, double threshold,
                       bool missing_left, int worker) = 0;
  // The same for values in the order of the rows, if the criterion can; the node was prepared `by_rows`.
  virtual std::optional<Candidate> up_to(const RowValues& values, const SplitRules& rules, double threshold,
                                         bool missing_left, int worker) = 0;
  // The best allowed border between the bins of a column of the prepared node, if the criterion has sums per
  // bin.
  struct BinnedBest {
    Candidate candidate;
    bool constant = false;
    Index missing = 0;
  };
  virtual std::optional<BinnedBest> best_of_bins(const std::uint8_t* bins, std::span<const Row> rows,
                                                 const SplitRules& rules, int worker) = 0;
  // A search for the same tree, with its own scratch space for so many workers.
  virtual std::unique_ptr<SplitSearch> another(int workers) const = 0;
};

std::unique_ptr<SplitSearch> make_search(CriterionKind kind, const Target& target, int workers);

// Joins a criterion's running state (see scan.hpp) with the search along columns. Besides what a scan needs,
// Sums has `Shared` (per tree), `Node` (per prepared node) and `summarize`.
template <class Sums>
class CriterionSearch final : public SplitSearch {
 public:
  CriterionSearch(const Target& target, std::shared_ptr<typename Sums::Shared> shared, int workers)
      : target_(target), shared_(std::move(shared)) {
    sums_.reserve(static_cast<std::size_t>(workers));
    for (int worker = 0; worker < workers; ++worker) sums_.emplace_back(target_, *shared_, node_);
  }

  Summary summarize(std::span<const Row> rows) const override {
    return Sums::summarize(target_, *shared_, rows);
  }

  void write_value(const Summary& summary, double* value) const override {
    const double scale = Sums::totals_are_weights ? summary.weight : 1.0;
    for (std::size_t i = 0; i < summary.totals.size(); ++i) value[i] = summary.totals[i] / scale;
  }

  void prepare(const Summary& summary, std::span<const Row> rows, bool by_rows) override {
    node_.prepare(target_, *shared_, summary, rows);
    if constexpr (requires { node_.gather(target_, *shared_, rows); }) {
      if (by_rows) node_.gather(target_, *shared_, rows);
    }
  }

  Candidate best(const ColumnView& view, const SplitRules& rules, int worker) override {
    return scan(view, rules, worker, [&](auto& scan) {
      scan.run(false);
      if (view.missing > 0) scan.run(true);
    });
  }

  Candidate at(const ColumnView& view, const SplitRules& rules, Index cut, double threshold,
               bool missing_left, int worker) override {
    return scan(view, rules, worker,
                [&](auto& scan) { scan.run_at(cut, 0.0 <= threshold, missing_left, threshold); });
  }

  std::optional<Candidate> up_to(const RowValues& values, const SplitRules& rules, double threshold,
                                 bool missing_left, int worker) override {
    if constexpr (requires(Sums& sums) { sums.add_up_to(0.0f, values, false); }) {
      return scan({}, rules, worker, [&](auto& scan) { scan.run_up_to(threshold, values, missing_left); });
    }
    return std::nullopt;
  }

  std::optional<BinnedBest> best_of_bins(const std::uint8_t* bins, std::span<const Row> rows,
                                         const SplitRules& rules, int worker) override {
    if constexpr (requires(Sums& sums) { sums.bins(); }) {
      Sums& sums = sums_[static_cast<std::size_t>(worker)];
      sums.collect(bins, rows);
      const Index missing = sums.bins().missing();
      if (sums.bins().constant()) return BinnedBest{{}, true, 0};
      const Candidate candidate = scan({}, rules, worker, [&](auto& scan) {
        scan.run_bins(false);
        if (missing > 0) scan.run_bins(true);
      });
      return BinnedBest{candidate, false, missing};
    }
    return std::nullopt;
  }

  std::unique_ptr<SplitSearch> another(int workers) const override {
    return std::make_unique<CriterionSearch>(target_, shared_, workers);
  }

 private:
  template <class Run>
  Candidate scan(const ColumnView& view, const SplitRules& rules, int worker, Run&& run) {
    Sums& sums = sums_[static_cast<std::size_t>(worker)];
    if (rules.plain()) {
      ColumnScan<Sums, true> scan(sums, view, rules);
      run(scan);
      return scan.best();
    }
    ColumnScan<Sums, false> scan(sums, view, rules);
    run(scan);
    return scan.best();
  }

  const Target& target_;
  std::shared_ptr<typename Sums::Shared> shared_;
  typename Sums::Node node_;
  std::vector<Sums> sums_;
};

}  // namespace certus::trees
