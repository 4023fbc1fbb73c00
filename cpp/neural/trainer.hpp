// Training of a multi-layer network: loss and gradient of a batch by one fused pass per chunk of rows
// (gather, product + bias + activation, loss + delta, gradients), and epochs of optimiser steps.
//
// A batch is cut into slots by its size alone; every slot has its own gradient and goes through its rows in
// chunks; the gradients are added in the order of the slots. Shuffles come from (seed, epoch), dropout from
// (seed, epoch, row, layer). So any number of threads gives equal bits. Cost: 3 multiplications per row and
// weight. With normalisation a batch is one chunk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop.hpp"
#include "neural/architecture.hpp"
#include "neural/optimizer.hpp"
#include "neural/output.hpp"
#include "neural/table.hpp"

namespace certus::neural {

struct TrainRule {
  OutputRule output;
  double dropout = 0.0;    // share of the hidden outputs that are dropped
  double auxiliary = 0.0;  // weight of the losses of the heads
  std::int64_t frozen = 0;
  std::uint64_t seed = 0;
};

template <class T>
struct Problem {
  Table<T> table;
  Targets<T> targets;
  std::span<const double> weights;  // by table row; empty: all 1
};

template <class T>
struct State {
  Moving<T> moving;
  std::span<T> statistics;  // of normalised layers
};

template <class T>
class Trainer {
 public:
  Trainer(Architecture net, TrainRule rule) : net_(std::move(net)), rule_(std::move(rule)) {}
  const Architecture& net() const { return net_; }

  // Gives the workspace back.
  void rest() { std::vector<Slot>().swap(slots_); }

  // Mean loss of these rows; the gradient is left in the slots. The statistics move where they are given.
  double pass(const T* parameters, T* statistics, const Problem<T>& problem, const Rows& rows,
              std::uint64_t epoch, int threads, StopToken& stop);
  // Mean loss of all rows, and its gradient.
  double gradient(std::span<const T> parameters, const Problem<T>& problem, int threads, StopToken& stop,
                  std::span<T> out);
  // Batches over the rows in `order` (shuffled here, if asked for). Returns the mean of the batches' losses
  // with their L2 penalties; counts the steps.
  double epoch(const State<T>& state, const Problem<T>& problem, std::span<std::int64_t> order, bool shuffle,
               Index batch, const StepRule& rule, std::uint64_t number, std::int64_t& step, int threads,
               StopToken& stop);
  // One step along a gradient that the caller has.
  void step(const State<T>& state, const StepRule& rule, std::span<T> gradient, std::int64_t number,
            int threads, StopToken& stop);

 private:
  struct Slot {
    std::vector<T> gradient, gathered, delta, below, head, zeros, scaled;
    std::vector<std::vector<T>> out, slope, normal, product;  // per layer
    std::vector<std::vector<double>> spread;                  // 1 / standard deviation of normalised columns
    double loss = 0.0;
  };
  struct Chunk {
    const T* parameters;
    T* statistics;
    const Problem<T>& problem;
    Rows rows;
    double factor;  // 1 / weight of the batch
    std::uint64_t epoch;
    bool begins;  // whether the slot's gradient starts here
    Index member = 0;
  };

  void prepare(Slot& slot, Index rows, bool sparse);
  Index slots_for(const Problem<T>& problem, Index rows) const;
  void chunk_pass(Slot& slot, const Chunk& chunk);
  void hidden_layer(Slot& slot, const Chunk& chunk, std::size_t l, View2D<const T> x);
  void normalise(Slot& slot, const Chunk& chunk, std::size_t l);
  void drop(Slot& slot, const Chunk& chunk, std::size_t l);
  void backward(Slot& slot, const Chunk& chunk, View2D<const T> x);
  void head_pass(Slot& slot, const Chunk& chunk, std::size_t l, T* delta_below);
  void normalise_backward(Slot& slot, const T* parameters, std::size_t l, Index rows, T* delta);
  void bias_gradient(Slot& slot, const Chunk& chunk, const Layer& layer, const T* delta);
  void weight_gradient(Slot& slot, const Chunk& chunk, const Layer& layer, View2D<const T> x, bool first,
                       const T* delta);
  View2D<const T> scale_inputs(Slot& slot, const Chunk& chunk, const Layer& layer, View2D<const T> x) const;
  void scale_outputs(Slot& slot, const Chunk& chunk, std::size_t l, T* z) const;
  void blend(Slot& slot, const Chunk& chunk, std::size_t l) const;
  void blend_gradient(Slot& slot, std::size_t l, Index rows, const T* delta) const;
  void factor_gradient(Slot& slot, const Chunk& chunk, std::size_t l, T* delta) const;
  void input_gradient(Slot& slot, const Chunk& chunk, const Layer& layer, View2D<const T> x, T* below) const;
  bool stores_slope(const Layer& layer) const;

  Architecture net_;
  TrainRule rule_;
  std::vector<Slot> slots_;
  Index used_ = 0;
};

}  // namespace certus::neural
