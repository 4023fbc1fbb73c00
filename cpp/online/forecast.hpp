// Forecasts from the advice of n experts: weights times exp(-eta loss), then a share of weight moves between
// experts (Vovk 1990; Herbster, Warmuth 1998; Bousquet, Warmuth 2002).
//
// Losses are those of numbers in [0, 1]. O(n (1 + switches)) per trial, one thread; state belongs to the
// caller.
#pragma once

#include <cstdint>
#include <span>

#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus::online {

enum class AdviceLoss : int { log = 0, square = 1, absolute = 2 };
enum class Share : int { none = 0, fixed = 1, variable = 2, past = 3, floor = 4 };

struct ForecastRule {
  AdviceLoss loss = AdviceLoss::square;
  Share share = Share::none;
  bool substitution = false;  // Vovk's prediction instead of the average
  bool asleep = false;        // NaN is an expert that gives no advice in this trial
  double eta = 0.5;
  double factor = 2.0;  // c: the learner's loss is at most c times the mixture's -ln sum v exp(-eta loss)
  double alpha = 0.0;   // what is shared
};

struct ForecastState {
  std::span<double> losses;  // every expert's loss so far
  std::span<double>
      weights;              // logarithms of the prior without a share, the weights of the next trial with one
  std::span<double> aside;  // per expert: sum of past weights (share past), or regret while awake (asleep)
  View2D<double> best;      // best(k, i): least loss of a sequence with at most k switches that ends in i
  std::span<double> sums;   // loss of the learner, trials, sum of mean losses
};

// Predictions for rows of advice with the weights as they are; (rows x n).
void predict_advice(View2D<const double> advice, const ForecastRule& rule, const ForecastState& state,
                    std::span<double> predictions, StopToken& stop);

// Trials in turn: the prediction is made, then the label is learned. Ends early, with the place of the
// trial, where every expert that has weight loses infinitely much; otherwise returns the number of rows.
Index learn_advice(View2D<const double> advice, std::span<const double> labels, const ForecastRule& rule,
                   const ForecastState& state, std::span<double> predictions, StopToken& stop);

// The least losses of sequences with at most 0 .. rows-1 switches after one trial; scratch of `best.rows`.
void extend_sequences(std::span<const double> losses, View2D<double> best, std::span<double> scratch);

}  // namespace certus::online
