// The shape of a multi-layer network and where its parameters stand in one vector:
//
//   weights of the layers, then of the auxiliary heads | intercepts in the same order | scales | shifts
//
// A layer's weights are a row-major matrix (inputs x outputs). Hidden layers may normalise what enters their
// activation over the batch: scale (z - mean) / sqrt(variance + epsilon) + shift, in prediction with running
// means and variances, which stand in a vector of their own (per layer means, then variances).
//
// Members share all weights; member m has factors r, s and intercepts b of its own in every layer,
//
//   z = s * (W'(r * x)) + b         (rank-one factors, Wen, Tran, Ba 2020)
//
// and units may blend their activation with the identity, z + a (act(z) - z), with a learned share a. The
// parameters then go on: factors r of all layers, factors s of all layers, shares a of the hidden layers.
#pragma once

#include <vector>

#include "core/view2d.hpp"
#include "neural/network_ops.hpp"

namespace certus::neural {

constexpr double norm_epsilon = 1e-5;

struct Layer {
  Index in = 0, out = 0;
  Index weight = 0, bias = 0;             // offsets
  Index scale = -1, shift = -1;           // of the parameters; -1: not normalised
  Index mean = -1, variance = -1;         // of the running statistics
  Index in_factor = -1, out_factor = -1;  // of the first member; -1: no members
  Index blend = -1;                       // -1: not blended
  Activation activation = Activation::identity;
};

struct Architecture {
  std::vector<Layer> layers;  // the last one is the output, with the identity
  std::vector<Layer> heads;   // of the hidden layers but the last, if there are any
  Index weights = 0;          // parameters that penalties reach: the first so many
  Index parameters = 0;
  Index statistics = 0;

  Index members = 0;  // 0: one network without factors

  Architecture(const std::vector<Index>& sizes, const std::vector<int>& activations, bool normalised,
               bool with_heads, Index members);
  Index inputs() const { return layers.front().in; }
  Index outputs() const { return layers.back().out; }
  Index widest() const;
};

}  // namespace certus::neural
