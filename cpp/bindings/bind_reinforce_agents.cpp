#include <algorithm>
#include <cmath>
#include <string>

#include "bindings/bind_reinforce.hpp"
#include "bindings/common.hpp"
#include "reinforce/control_agent.hpp"
#include "reinforce/gradient_agent.hpp"
#include "reinforce/model_agent.hpp"
#include "reinforce/policy_agent.hpp"
#include "reinforce/replay_memory.hpp"
#include "reinforce/simulate.hpp"

namespace certus::bindings {
namespace {

using namespace certus::reinforce;

Exploration exploration_of(const nb::tuple& rule) {
  return {static_cast<ExplorationKind>(nb::cast<int>(rule[0])), nb::cast<double>(rule[1]),
          nb::cast<double>(rule[2]), nb::cast<double>(rule[3]), nb::cast<std::int64_t>(rule[4])};
}

StepRule step_rule_of(const nb::tuple& rule) {
  return {static_cast<StepKind>(nb::cast<int>(rule[0])), nb::cast<double>(rule[1]),
          nb::cast<double>(rule[2])};
}

void bind_agents(nb::module_& m) {
  nb::class_<Agent>(m, "Agent", "A learner that acts.")
      .def("begin", &Agent::begin, nb::arg("state"), "The first action of an episode.")
      .def("step", &Agent::step, nb::arg("reward"), nb::arg("next"), nb::arg("terminated"), nb::arg("value"),
           "Learn from a transition; the next action, or -1.")
      .def("set_progress", &Agent::set_progress, nb::arg("progress"),
           "Say which share of the training is over.");
  using Tables = ControlAgent<TableValues>;
  nb::class_<Tables, Agent>(m, "ControlAgent",
                            "Q-learning and its kin, with a number for every state and action.")
      .def(
          "__init__",
          [](Tables* place, int kind, double discount, nb::tuple steps, nb::tuple exploration,
             Matrix<const std::int32_t> pairs, Matrix<double> q, Matrix<double> second,
             Matrix<std::int64_t> visits, std::uint64_t seed) {
            new (place) Tables(static_cast<ControlKind>(kind), discount, step_rule_of(steps),
                               exploration_of(exploration), view(pairs), {view(q)}, {view(second)},
                               view(visits), seed);
          },
          nb::arg("kind"), nb::arg("discount"), nb::arg("steps"), nb::arg("exploration"),
          nb::arg("pairs").noconvert(), nb::arg("q").noconvert(), nb::arg("second").noconvert(),
          nb::arg("visits").noconvert(), nb::arg("seed"), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
          nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>());
  using Linear = ControlAgent<LinearValues>;
  nb::class_<Linear, Agent>(m, "LinearControlAgent", "The same, linear in features.")
      .def(
          "__init__",
          [](Linear* place, int kind, double discount, nb::tuple steps, nb::tuple exploration,
             Matrix<const std::int32_t> pairs, Matrix<const double> features, Matrix<double> weights,
             Matrix<std::int64_t> visits, std::uint64_t seed) {
            const LinearValues values{view(features), view(weights)};
            new (place) Linear(static_cast<ControlKind>(kind), discount, step_rule_of(steps),
                               exploration_of(exploration), view(pairs), values, values, view(visits), seed);
          },
          nb::arg("kind"), nb::arg("discount"), nb::arg("steps"), nb::arg("exploration"),
          nb::arg("pairs").noconvert(), nb::arg("features").noconvert(), nb::arg("weights").noconvert(),
          nb::arg("visits").noconvert(), nb::arg("seed"), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
          nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>());
  nb::class_<LinearPolicyAgent, Agent>(m, "LinearPolicyAgent", "Semi-gradient TD(0) for a given policy.")
      .def(
          "__init__",
          [](LinearPolicyAgent* place, double discount, nb::tuple steps, Matrix<const double> policy,
             Matrix<const double> features, Vector<double> weights, Vector<std::int64_t> visits,
             std::uint64_t seed) {
            new (place) LinearPolicyAgent(discount, step_rule_of(steps), view(policy), view(features),
                                          span(weights), span(visits), seed);
          },
          nb::arg("discount"), nb::arg("steps"), nb::arg("policy").noconvert(),
          nb::arg("features").noconvert(), nb::arg("weights").noconvert(), nb::arg("visits").noconvert(),
          nb::arg("seed"), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
          nb::keep_alive<1, 7>());
  nb::class_<PolicyAgent, Agent>(m, "PolicyAgent", "TD(lambda) for a given policy.")
      .def(
          "__init__",
          [](PolicyAgent* place, double discount, double lambda, nb::tuple steps, Matrix<const double> policy,
             Vector<double> values, Vector<std::int64_t> visits, std::uint64_t seed) {
            new (place) PolicyAgent(discount, lambda, step_rule_of(steps), view(policy), span(values),
                                    span(visits), seed);
          },
          nb::arg("discount"), nb::arg("lambda_"), nb::arg("steps"), nb::arg("policy").noconvert(),
          nb::arg("values").noconvert(), nb::arg("visits").noconvert(), nb::arg("seed"),
          nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>());
  nb::class_<ModelAgent, Agent>(m, "ModelAgent", "Adaptive dynamic programming.")
      .def(
          "__init__",
          [](ModelAgent* place, double discount, nb::tuple exploration, Matrix<const std::int32_t> pairs,
             Matrix<const double> policy, Matrix<double> q, Vector<double> values,
             Matrix<std::int64_t> visits, std::int64_t updates, double least, std::uint64_t seed) {
            const View2D<const double> given = policy.shape(0) == 0 ? View2D<const double>() : view(policy);
            new (place) ModelAgent(discount, exploration_of(exploration), view(pairs), given,
                                   {view(q), span(values), view(visits)}, updates, least, seed);
          },
          nb::arg("discount"), nb::arg("exploration"), nb::arg("pairs").noconvert(),
          nb::arg("policy").noconvert(), nb::arg("q").noconvert(), nb::arg("values").noconvert(),
          nb::arg("visits").noconvert(), nb::arg("updates"), nb::arg("least"), nb::arg("seed"),
          nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(),
          nb::keep_alive<1, 8>())
      .def("settle", &ModelAgent::settle, nb::arg("updates"), "Update values by priority, at most so often.");
}

void bind_gradient_agent(nb::module_& m) {
  nb::class_<GradientAgent, Agent>(m, "GradientAgent", "A softmax policy that follows its gradient.")
      .def(
          "__init__",
          [](GradientAgent* place, double discount, nb::tuple steps, nb::tuple baseline_steps,
             Matrix<const std::int32_t> pairs, Matrix<const double> features, Matrix<double> weights,
             Vector<double> baseline, bool moving, std::uint64_t seed) {
            const GradientTables tables{view(features), view(weights), span(baseline)};
            new (place) GradientAgent(discount, step_rule_of(steps), step_rule_of(baseline_steps),
                                      view(pairs), tables, moving, seed);
          },
          nb::arg("discount"), nb::arg("steps"), nb::arg("baseline_steps"), nb::arg("pairs").noconvert(),
          nb::arg("features").noconvert(), nb::arg("weights").noconvert(), nb::arg("baseline").noconvert(),
          nb::arg("moving"), nb::arg("seed"), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
          nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>())
      .def("settle", &GradientAgent::settle, "Learn from an episode that was cut off.");
}

Transitions transitions_of(const nb::tuple& parts) {
  return {view(nb::cast<Matrix<float>>(parts[0])),        span(nb::cast<Vector<std::int64_t>>(parts[1])),
          span(nb::cast<Vector<float>>(parts[2])),        view(nb::cast<Matrix<float>>(parts[3])),
          span(nb::cast<Vector<std::uint8_t>>(parts[4])), view(nb::cast<Matrix<std::uint8_t>>(parts[5]))};
}

// Holds the arrays that its memory writes into.
struct HeldMemory {
  nb::tuple parts;
  Transitions rows;
  ReplayMemory memory;
};

void check_finite(const Vector<const float>& observation, float reward) {
  const auto values = span(observation);
  const bool fine = std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
  if (!fine || !std::isfinite(reward))
    throw nb::value_error(
        "an observation or a reward is NaN or infinite.\nHint: look at what env.step gives.");
}

void check_width(std::size_t found, Index wanted, const char* what) {
  if (found != static_cast<std::size_t>(wanted))
    throw nb::value_error((std::string(what) + " must have " + std::to_string(wanted) + " entries, got " +
                           std::to_string(found) + ".")
                              .c_str());
}

void bind_replay_memory(nb::module_& m) {
  nb::class_<HeldMemory>(m, "ReplayMemory", "Transitions in a ring, and batches drawn from it.")
      .def(
          "__init__",
          [](HeldMemory* place, nb::tuple parts, std::uint64_t seed) {
            const Transitions rows = transitions_of(parts);
            new (place) HeldMemory{parts, rows, ReplayMemory(rows, seed)};
          },
          nb::arg("parts"), nb::arg("seed"))
      .def_prop_rw(
          "total", [](const HeldMemory& held) { return held.memory.total; },
          [](HeldMemory& held, std::int64_t total) { held.memory.total = total; }, "Transitions seen so far.")
      .def(
          "add",
          [](HeldMemory& held, Vector<const float> seen, std::int64_t action, float reward,
             Vector<const float> following, bool ended, Vector<const std::uint8_t> allowed) {
            check_width(seen.shape(0), held.rows.seen.cols, "an observation");
            check_width(following.shape(0), held.rows.following.cols, "an observation");
            check_finite(seen, reward);
            check_finite(following, reward);
            if (allowed.shape(0) > 0) check_width(allowed.shape(0), held.rows.allowed.cols, "action_mask");
            held.memory.add({span(seen), action, reward, span(following), ended, span(allowed)});
          },
          nb::arg("seen").noconvert(), nb::arg("action"), nb::arg("reward"), nb::arg("following").noconvert(),
          nb::arg("ended"), nb::arg("allowed").noconvert(), "Write a transition over the oldest.")
      .def(
          "draw",
          [](HeldMemory& held, const nb::tuple& out) {
            if (held.memory.held() == 0) throw nb::value_error("nothing is remembered yet.");
            held.memory.draw(transitions_of(out));
          },
          nb::arg("out"), "Fill a batch with transitions, with repetition.");
}

// Holds the arrays that its view reads.
struct HeldWorld {
  Matrix<const std::int32_t> pairs;
  Vector<const double> paid, fixed, start;
  World view;
};

void bind_world(nb::module_& m) {
  nb::class_<HeldWorld>(m, "World", "A known process as the world of an agent.")
      .def(
          "__init__",
          [](HeldWorld* place, const HeldProcess& process, Matrix<const std::int32_t> pairs,
             Vector<const double> paid, Vector<const double> fixed, Vector<const double> start) {
            new (place) HeldWorld{pairs, paid, fixed, start, {}};
            place->view = {&process.view, view(pairs), span(paid), span(fixed), span(start)};
          },
          nb::arg("process"), nb::arg("pairs").noconvert(), nb::arg("paid").noconvert(),
          nb::arg("fixed").noconvert(), nb::arg("start").noconvert(), nb::keep_alive<1, 2>())
      .def(
          "train",
          [](const HeldWorld& world, Agent& agent, std::int64_t horizon, std::uint64_t seed,
             Vector<double> returns, Vector<std::int64_t> lengths) {
            return run_kernel([&](StopToken& stop) {
              return train(world.view, agent, horizon, seed, {span(returns), span(lengths)}, stop);
            });
          },
          nb::arg("agent"), nb::arg("horizon"), nb::arg("seed"), nb::arg("returns").noconvert(),
          nb::arg("lengths").noconvert(), "Let an agent learn; returns the episodes that were completed.")
      .def(
          "follow",
          [](const HeldWorld& world, Matrix<const double> policy, std::int64_t horizon, std::uint64_t seed,
             Vector<std::int32_t> states, Vector<std::int32_t> actions, Vector<double> rewards,
             Vector<double> probabilities, Vector<std::int64_t> ends) {
            return run_kernel([&](StopToken& stop) {
              return follow(world.view, view(policy), horizon, seed,
                            {span(states), span(actions), span(rewards), span(probabilities), span(ends)},
                            stop);
            });
          },
          nb::arg("policy").noconvert(), nb::arg("horizon"), nb::arg("seed"), nb::arg("states").noconvert(),
          nb::arg("actions").noconvert(), nb::arg("rewards").noconvert(),
          nb::arg("probabilities").noconvert(), nb::arg("ends").noconvert(),
          "Follow a policy; returns the episodes that fitted.");
}

}  // namespace

void bind_reinforce_agents(nb::module_& m) {
  bind_agents(m);
  bind_gradient_agent(m);
  bind_replay_memory(m);
  bind_world(m);
}

}  // namespace certus::bindings
