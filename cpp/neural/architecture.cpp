#include "neural/architecture.hpp"

#include <algorithm>
#include <stdexcept>

namespace certus::neural {

Architecture::Architecture(const std::vector<Index>& sizes, const std::vector<int>& activations,
                           bool normalised, bool with_heads, Index members_)
    : members(members_) {
  if (sizes.size() < 2 || activations.size() != sizes.size() - 2) {
    throw std::invalid_argument("A network needs one activation for every hidden layer.");
  }
  if (members > 0 && (normalised || with_heads)) {
    throw std::invalid_argument("A network with members is neither normalised nor has it heads.");
  }
  const std::size_t hidden = activations.size();
  for (std::size_t l = 0; l <= hidden; ++l) {
    layers.push_back({.in = sizes[l], .out = sizes[l + 1]});
    if (l < hidden) layers[l].activation = static_cast<Activation>(activations[l]);
  }
  if (with_heads) {
    for (std::size_t l = 0; l + 1 < hidden; ++l) heads.push_back({.in = sizes[l + 1], .out = sizes.back()});
  }
  for (auto* group : {&layers, &heads}) {
    for (Layer& layer : *group) {
      layer.weight = weights;
      weights += layer.in * layer.out;
    }
  }
  parameters = weights;
  for (auto* group : {&layers, &heads}) {
    for (Layer& layer : *group) {
      layer.bias = parameters;
      parameters += layer.out * std::max<Index>(members, 1);
    }
  }
  if (members > 0) {
    for (Layer& layer : layers) {
      layer.in_factor = parameters;
      parameters += members * layer.in;
    }
    for (Layer& layer : layers) {
      layer.out_factor = parameters;
      parameters += members * layer.out;
    }
    for (std::size_t l = 0; l < hidden; ++l) {
      layers[l].blend = parameters;
      parameters += layers[l].out;
    }
  }
  if (!normalised) return;
  for (std::size_t l = 0; l < hidden; ++l) {
    layers[l].scale = parameters;
    parameters += layers[l].out;
    layers[l].mean = statistics;
    layers[l].variance = statistics + layers[l].out;
    statistics += 2 * layers[l].out;
  }
  for (std::size_t l = 0; l < hidden; ++l) {
    layers[l].shift = parameters;
    parameters += layers[l].out;
  }
}

Index Architecture::widest() const {
  Index most = 0;
  for (const Layer& layer : layers) most = std::max(most, layer.out);
  return most;
}

}  // namespace certus::neural
