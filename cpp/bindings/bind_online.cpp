#include "bindings/common.hpp"

#include "online/allocation.hpp"
#include "online/arms.hpp"
#include "online/forecast.hpp"

namespace certus::bindings {
namespace {

using online::ForecastRule;
using Floats = Vector<double>;

online::ForecastState forecast_state(const Floats& losses, const Floats& weights, const Floats& aside,
                                     const Matrix<double>& best, const Floats& sums) {
  return {span(losses), span(weights), span(aside), view(best), span(sums)};
}

void bind_forecasts(nb::module_& m) {
  nb::class_<ForecastRule>(m, "ForecastRule", "How advice becomes a forecast, and a loss new weights.")
      .def(
          "__init__",
          [](ForecastRule* rule, int loss, int share, bool substitution, bool asleep, double eta,
             double factor, double alpha) {
            new (rule) ForecastRule{static_cast<online::AdviceLoss>(loss),
                                    static_cast<online::Share>(share),
                                    substitution,
                                    asleep,
                                    eta,
                                    factor,
                                    alpha};
          },
          nb::arg("loss"), nb::arg("share"), nb::arg("substitution"), nb::arg("asleep"), nb::arg("eta"),
          nb::arg("factor"), nb::arg("alpha"));
  m.def(
      "predict_advice",
      [](Matrix<const double> advice, const ForecastRule& rule, Floats losses, Floats weights, Floats aside,
         Matrix<double> best, Floats sums, Floats predictions) {
        run_kernel([&](StopToken& stop) {
          online::predict_advice(view(advice), rule, forecast_state(losses, weights, aside, best, sums),
                                 span(predictions), stop);
        });
      },
      nb::arg("advice").noconvert(), nb::arg("rule"), nb::arg("losses").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("aside").noconvert(), nb::arg("best").noconvert(),
      nb::arg("sums").noconvert(), nb::arg("predictions").noconvert(), "Predictions for rows of advice.");
  m.def(
      "learn_advice",
      [](Matrix<const double> advice, Vector<const double> labels, const ForecastRule& rule, Floats losses,
         Floats weights, Floats aside, Matrix<double> best, Floats sums, Floats predictions) {
        return run_kernel([&](StopToken& stop) {
          return online::learn_advice(view(advice), span(labels), rule,
                                      forecast_state(losses, weights, aside, best, sums), span(predictions),
                                      stop);
        });
      },
      nb::arg("advice").noconvert(), nb::arg("labels").noconvert(), nb::arg("rule"),
      nb::arg("losses").noconvert(), nb::arg("weights").noconvert(), nb::arg("aside").noconvert(),
      nb::arg("best").noconvert(), nb::arg("sums").noconvert(), nb::arg("predictions").noconvert(),
      "Trials in turn; returns how many were learned before all weight would have vanished.");
}

void bind_allocations(nb::module_& m) {
  m.def(
      "hedge_weights",
      [](Vector<const double> losses, double eta, Floats weights) {
        online::hedge_weights(span(losses), eta, span(weights));
      },
      nb::arg("losses").noconvert(), nb::arg("eta"), nb::arg("weights").noconvert(), "Weights played next.");
  m.def(
      "run_hedge",
      [](Matrix<const double> trials, double eta, double low, Floats losses, Floats sums, Floats paid) {
        run_kernel([&](StopToken& stop) {
          online::run_hedge(view(trials), eta, low, {span(losses), span(sums)}, span(paid), stop);
        });
      },
      nb::arg("trials").noconvert(), nb::arg("eta"), nb::arg("low"), nb::arg("losses").noconvert(),
      nb::arg("sums").noconvert(), nb::arg("paid").noconvert(), "Hedge over trials in turn.");
  m.def(
      "run_ada_hedge",
      [](Matrix<const double> trials, Floats losses, Floats sums, Floats paid) {
        run_kernel([&](StopToken& stop) {
          online::run_ada_hedge(view(trials), {span(losses), span(sums)}, span(paid), stop);
        });
      },
      nb::arg("trials").noconvert(), nb::arg("losses").noconvert(), nb::arg("sums").noconvert(),
      nb::arg("paid").noconvert(), "AdaHedge over trials in turn.");
  m.def(
      "squint_weights",
      [](Floats regrets, Floats variances, Vector<const double> rates, Vector<const double> prior,
         Floats weights) {
        online::squint_weights({span(regrets), span(variances), span(rates), span(prior), {}}, span(weights));
      },
      nb::arg("regrets").noconvert(), nb::arg("variances").noconvert(), nb::arg("rates").noconvert(),
      nb::arg("prior").noconvert(), nb::arg("weights").noconvert(), "Squint's weights.");
  m.def(
      "run_squint",
      [](Matrix<const double> trials, double scale, Floats regrets, Floats variances,
         Vector<const double> rates, Vector<const double> prior, Floats sums, Floats paid) {
        run_kernel([&](StopToken& stop) {
          online::run_squint(view(trials), scale,
                             {span(regrets), span(variances), span(rates), span(prior), span(sums)},
                             span(paid), stop);
        });
      },
      nb::arg("trials").noconvert(), nb::arg("scale"), nb::arg("regrets").noconvert(),
      nb::arg("variances").noconvert(), nb::arg("rates").noconvert(), nb::arg("prior").noconvert(),
      nb::arg("sums").noconvert(), nb::arg("paid").noconvert(), "Squint over trials in turn.");
  m.def(
      "run_votes",
      [](Matrix<const double> advice, Vector<const double> labels, double eta, Vector<std::int64_t> mistakes,
         Floats chances) {
        run_kernel([&](StopToken& stop) {
          online::run_votes(view(advice), span(labels), eta, span(mistakes), span(chances), stop);
        });
      },
      nb::arg("advice").noconvert(), nb::arg("labels").noconvert(), nb::arg("eta"),
      nb::arg("mistakes").noconvert(), nb::arg("chances").noconvert(),
      "Share of the weight that votes for 1, in each trial; mistakes are counted where labels are given.");
}

using Counts = Vector<std::int64_t>;
using Flags = Vector<std::uint8_t>;

struct ArmArrays {
  Counts chosen, counts;
  Floats sums, scores;
  Flags present, left;

  online::ArmState state() const {
    return {span(chosen), span(counts), span(sums), span(scores), span(present), span(left)};
  }
};

void bind_arms(nb::module_& m) {
  nb::class_<online::ArmRule>(m, "ArmRule", "How the next arm is chosen.")
      .def(
          "__init__",
          [](online::ArmRule* rule, int kind, double parameter, bool decays, std::uint64_t seed) {
            new (rule) online::ArmRule{static_cast<online::ArmKind>(kind), parameter, decays, seed};
          },
          nb::arg("kind"), nb::arg("parameter"), nb::arg("decays"), nb::arg("seed"));
  nb::class_<ArmArrays>(m, "ArmArrays", "What is known of the arms; changed in place.")
      .def(
          "__init__",
          [](ArmArrays* arrays, Counts chosen, Counts counts, Floats sums, Floats scores, Flags present,
             Flags left) { new (arrays) ArmArrays{chosen, counts, sums, scores, present, left}; },
          nb::arg("chosen").noconvert(), nb::arg("counts").noconvert(), nb::arg("sums").noconvert(),
          nb::arg("scores").noconvert(), nb::arg("present").noconvert(), nb::arg("left").noconvert());
  m.def(
      "choose_arm",
      [](const online::ArmRule& rule, const ArmArrays& arrays, std::int64_t number) {
        const online::Choice choice = online::choose_arm(rule, arrays.state(), number);
        return nb::make_tuple(choice.arm, choice.probability);
      },
      nb::arg("rule"), nb::arg("arrays"), nb::arg("number"), "The next arm, and how probable it was.");
  m.def(
      "reward_arm",
      [](const online::ArmRule& rule, const ArmArrays& arrays, std::int64_t arm, double reward,
         double probability) {
        online::reward_arm(rule, arrays.state(), static_cast<Index>(arm), reward, probability);
      },
      nb::arg("rule"), nb::arg("arrays"), nb::arg("arm"), nb::arg("reward"), nb::arg("probability"),
      "Learn a reward.");
  m.def(
      "run_arms",
      [](Matrix<const double> rewards, const online::ArmRule& rule, const ArmArrays& arrays,
         std::int64_t first, Counts arms, Floats probabilities) {
        run_kernel([&](StopToken& stop) {
          online::run_arms(view(rewards), rule, arrays.state(), first, span(arms), span(probabilities), stop);
        });
      },
      nb::arg("rewards").noconvert(), nb::arg("rule"), nb::arg("arrays"), nb::arg("first"),
      nb::arg("arms").noconvert(), nb::arg("probabilities").noconvert(), "Rows of rewards in turn.");
}

}  // namespace

void bind_online(nb::module_& m) {
  bind_forecasts(m);
  bind_allocations(m);
  bind_arms(m);
}

}  // namespace certus::bindings
