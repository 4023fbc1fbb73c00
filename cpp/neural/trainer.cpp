#include "neural/trainer.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "core/rng.hpp"
#include "neural/forward.hpp"
#include "neural/layer_product.hpp"

namespace certus::neural {
namespace {

constexpr Index chunk_rows = 256;
constexpr Index least_rows = 128, most_slots = 4;
constexpr double slot_work = 1e6;        // multiplications that pay for another slot
constexpr double statistics_rate = 0.1;  // by which running statistics follow those of the batch

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class T>
bool Trainer<T>::stores_slope(const Layer& layer) const {
  return layer.blend >= 0 || rule_.dropout > 0.0 || layer.activation == Activation::gelu ||
         layer.activation == Activation::silu || layer.activation == Activation::mish;
}

template <class T>
Index Trainer<T>::slots_for(const Problem<T>& problem, Index rows) const {
  if (net_.statistics > 0) return 1;
  const Table<T>& table = problem.table;
  double work = static_cast<double>(net_.weights - table.cols() * net_.layers.front().out);
  work += static_cast<double>(table.entries()) / static_cast<double>(std::max<Index>(table.rows(), 1)) *
          static_cast<double>(net_.layers.front().out);
  work *= 3.0 * static_cast<double>(rows) * static_cast<double>(std::max<Index>(net_.members, 1));
  const double share = std::max(slot_work, 4.0 * static_cast<double>(net_.parameters));
  const Index most = std::min(most_slots, block_count(rows, least_rows));
  return std::clamp(static_cast<Index>(work / share), Index(1), std::max<Index>(most, 1));
}

template <class T>
void Trainer<T>::prepare(Slot& slot, Index rows, bool sparse) {
  const auto grow = [](std::vector<T>& buffer, Index size) {
    if (buffer.size() < at(size)) buffer.resize(at(size));
  };
  const std::size_t count = net_.layers.size();
  grow(slot.gradient, net_.parameters);
  if (!sparse) grow(slot.gathered, rows * net_.inputs());
  const Index width = std::max(net_.widest(), net_.members > 0 ? net_.inputs() : Index(0));
  grow(slot.delta, rows * width);
  grow(slot.below, rows * width);
  grow(slot.zeros, net_.widest());
  if (!net_.heads.empty()) grow(slot.head, rows * net_.outputs());
  slot.out.resize(count);
  slot.slope.resize(count);
  slot.normal.resize(count);
  slot.spread.resize(count);
  slot.product.resize(count);
  if (net_.members > 0) grow(slot.scaled, rows * std::max(net_.widest(), net_.inputs()));
  for (std::size_t l = 0; l < count; ++l) {
    const Layer& layer = net_.layers[l];
    grow(slot.out[l], rows * layer.out);
    if (l + 1 < count && stores_slope(layer)) grow(slot.slope[l], rows * layer.out);
    if (layer.blend >= 0) grow(slot.normal[l], rows * layer.out);
    if (net_.members > 0) grow(slot.product[l], rows * layer.out);
    if (layer.scale >= 0) {
      grow(slot.normal[l], rows * layer.out);
      slot.spread[l].resize(at(layer.out));
    }
  }
  slot.loss = 0.0;
}

template <class T>
double Trainer<T>::pass(const T* parameters, T* statistics, const Problem<T>& problem, const Rows& rows,
                        std::uint64_t epoch, int threads, StopToken& stop) {
  double total = static_cast<double>(rows.count);
  if (!problem.weights.empty()) {
    total = 0.0;
    for (Index i = 0; i < rows.count; ++i) total += problem.weights[at(rows[i])];
  }
  used_ = slots_for(problem, rows.count);
  if (slots_.size() < at(used_)) slots_.resize(at(used_));
  const Index share = block_count(rows.count, used_);
  const Index tall = net_.statistics > 0 ? rows.count : std::min(share, chunk_rows);
  const Index members = std::max<Index>(net_.members, 1);
  parallel_for(used_, threads, stop, [&](Index s, int) {
    Slot& slot = slots_[at(s)];
    prepare(slot, tall, problem.table.sparse());
    const Index first = std::min(s * share, rows.count), last = std::min(first + share, rows.count);
    if (first == last || net_.members > 0) std::fill_n(slot.gradient.data(), net_.parameters, T(0));
    for (Index from = first; from < last && !stop.poll(); from += tall) {
      const Rows part = rows.part(from, std::min(tall, last - from));
      for (Index member = 0; member < members; ++member) {
        chunk_pass(slot, {parameters, statistics, problem, part, 1.0 / (total * static_cast<double>(members)),
                          epoch, from == first && net_.members == 0, member});
      }
    }
  });
  double loss = 0.0;
  for (Index s = 0; s < used_; ++s) loss += slots_[at(s)].loss;
  return loss / (total * static_cast<double>(members));
}

template <class T>
void Trainer<T>::chunk_pass(Slot& slot, const Chunk& chunk) {
  const Problem<T>& problem = chunk.problem;
  const std::size_t count = net_.layers.size();
  View2D<const T> x;
  if (!problem.table.sparse()) x = dense_rows(problem.table, chunk.rows, slot.gathered.data());
  View2D<const T> input = x;
  for (std::size_t l = 0; l + 1 < count; ++l) {
    hidden_layer(slot, chunk, l, input);
    input = {slot.out[l].data(), chunk.rows.count, net_.layers[l].out};
  }
  const Layer& last = net_.layers.back();
  T* scores = slot.delta.data();
  if (count == 1 && problem.table.sparse()) {
    multiply_sparse(problem.table, chunk.rows, chunk.parameters + last.weight, last.out, scores);
  } else {
    multiply_dense(scale_inputs(slot, chunk, last, input), chunk.parameters + last.weight, last.out, scores);
  }
  scale_outputs(slot, chunk, count - 1, scores);
  TypedOps<T>::activate(Activation::identity, scores, chunk.parameters + last.bias + chunk.member * last.out,
                        static_cast<T*>(nullptr), chunk.rows.count, last.out);
  slot.loss += output_delta(rule_.output, problem.targets, chunk.rows, problem.weights, chunk.factor,
                            View2D<T>(scores, chunk.rows.count, last.out));
  backward(slot, chunk, x);
}

template <class T>
void Trainer<T>::hidden_layer(Slot& slot, const Chunk& chunk, std::size_t l, View2D<const T> x) {
  const Layer& layer = net_.layers[l];
  T* z = slot.out[l].data();
  if (l == 0 && chunk.problem.table.sparse()) {
    multiply_sparse(chunk.problem.table, chunk.rows, chunk.parameters + layer.weight, layer.out, z);
  } else {
    multiply_dense(scale_inputs(slot, chunk, layer, x), chunk.parameters + layer.weight, layer.out, z);
  }
  scale_outputs(slot, chunk, l, z);
  const T* bias = chunk.parameters + layer.bias + chunk.member * layer.out;
  if (layer.scale >= 0) {
    if (l < at(rule_.frozen) && chunk.statistics != nullptr) {
      normalise_by_running(layer, chunk.parameters, static_cast<const T*>(chunk.statistics), z,
                           chunk.rows.count);
    } else {
      normalise(slot, chunk, l);
    }
    bias = slot.zeros.data();
  }
  if (layer.blend >= 0) {
    std::copy_n(z, chunk.rows.count * layer.out, slot.normal[l].data());
    TypedOps<T>::activate(Activation::identity, slot.normal[l].data(), bias, static_cast<T*>(nullptr),
                          chunk.rows.count, layer.out);
  }
  T* slope = stores_slope(layer) ? slot.slope[l].data() : nullptr;
  TypedOps<T>::activate(layer.activation, z, bias, slope, chunk.rows.count, layer.out);
  blend(slot, chunk, l);
  if (rule_.dropout > 0.0) drop(slot, chunk, l);
}

template <class T>
void Trainer<T>::drop(Slot& slot, const Chunk& chunk, std::size_t l) {
  const Index width = net_.layers[l].out;
  const bool blended = net_.layers[l].blend >= 0;
  const T kept = static_cast<T>(1.0 / (1.0 - rule_.dropout));
  const auto limit = static_cast<std::uint64_t>(rule_.dropout * 0x1.0p32);
  for (Index i = 0; i < chunk.rows.count; ++i) {
    const auto row =
        static_cast<std::uint64_t>(chunk.rows[i] * std::max<Index>(net_.members, 1) + chunk.member);
    Rng random(rule_.seed ^ (chunk.epoch + 1) * 0x9e3779b97f4a7c15ULL, row * net_.layers.size() + l);
    T* out = slot.out[l].data() + i * width;
    T* slope = slot.slope[l].data() + i * width;
    std::uint64_t bits = 0;
    for (Index j = 0; j < width; ++j) {
      bits = j % 2 == 0 ? random.next() : bits >> 32;
      const T factor = (bits & 0xffffffffULL) < limit ? T(0) : kept;
      out[j] *= factor;
      slope[j] *= factor;
      if (blended) slot.normal[l][at(i * width + j)] *= factor;
    }
  }
}

template <class T>
void Trainer<T>::normalise(Slot& slot, const Chunk& chunk, std::size_t l) {
  const Layer& layer = net_.layers[l];
  const Index rows = chunk.rows.count, cols = layer.out;
  T* z = slot.out[l].data();
  T* normal = slot.normal[l].data();
  std::vector<double> mean(at(cols), 0.0), square(at(cols), 0.0);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) mean[at(j)] += static_cast<double>(z[i * cols + j]);
  }
  for (double& value : mean) value /= static_cast<double>(rows);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const double off = static_cast<double>(z[i * cols + j]) - mean[at(j)];
      square[at(j)] += off * off;
    }
  }
  for (Index j = 0; j < cols; ++j) {
    const double variance = square[at(j)] / static_cast<double>(rows);
    slot.spread[l][at(j)] = 1.0 / std::sqrt(variance + norm_epsilon);
    if (chunk.statistics == nullptr) continue;
    const double fair = rows > 1 ? square[at(j)] / static_cast<double>(rows - 1) : variance;
    const double center = mean[at(j)] + static_cast<double>(chunk.parameters[layer.bias + j]);
    T& running_mean = chunk.statistics[layer.mean + j];
    T& running_variance = chunk.statistics[layer.variance + j];
    running_mean += static_cast<T>(statistics_rate * (center - static_cast<double>(running_mean)));
    running_variance += static_cast<T>(statistics_rate * (fair - static_cast<double>(running_variance)));
  }
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      T& value = z[i * cols + j];
      const T scaled = static_cast<T>((static_cast<double>(value) - mean[at(j)]) * slot.spread[l][at(j)]);
      normal[i * cols + j] = scaled;
      value = chunk.parameters[layer.scale + j] * scaled + chunk.parameters[layer.shift + j];
    }
  }
}

template <class T>
void Trainer<T>::bias_gradient(Slot& slot, const Chunk& chunk, const Layer& layer, const T* delta) {
  T* gradient = slot.gradient.data() + layer.bias + chunk.member * layer.out;
  if (chunk.begins) std::fill_n(gradient, layer.out, T(0));
  TypedOps<T>::add_columns(delta, chunk.rows.count, layer.out, gradient);
}

template <class T>
void Trainer<T>::weight_gradient(Slot& slot, const Chunk& chunk, const Layer& layer, View2D<const T> x,
                                 bool first, const T* delta) {
  T* gradient = slot.gradient.data() + layer.weight;
  const Index rows = chunk.rows.count;
  if (!first || !chunk.problem.table.sparse()) {
    gemm_tn<T>(layer.in, layer.out, rows, T(1), x.data, x.row_stride, delta, layer.out,
               chunk.begins ? T(0) : T(1), gradient, layer.out);
    return;
  }
  if (chunk.begins) std::fill_n(gradient, layer.in * layer.out, T(0));
  for (Index i = 0; i < rows; ++i) {
    chunk.problem.table.each(chunk.rows[i], [&](Index column, T value) {
      TypedOps<T>::add(value, delta + i * layer.out, gradient + column * layer.out, layer.out);
    });
  }
}

template <class T>
void Trainer<T>::backward(Slot& slot, const Chunk& chunk, View2D<const T> x) {
  const Index rows = chunk.rows.count;
  T* delta = slot.delta.data();
  T* below = slot.below.data();
  for (std::size_t l = net_.layers.size(); l-- > 0 && l >= at(rule_.frozen);) {
    const Layer& layer = net_.layers[l];
    const View2D<const T> input =
        l == 0 ? x : View2D<const T>(slot.out[l - 1].data(), rows, net_.layers[l - 1].out);
    bias_gradient(slot, chunk, layer, delta);
    factor_gradient(slot, chunk, l, delta);
    weight_gradient(slot, chunk, layer, scale_inputs(slot, chunk, layer, input), l == 0, delta);
    if ((l == 0 && net_.members == 0) || (l > 0 && l == at(rule_.frozen))) break;
    gemm_nt<T>(rows, layer.in, layer.out, T(1), delta, layer.out, chunk.parameters + layer.weight, layer.out,
               T(0), below, layer.in);
    input_gradient(slot, chunk, layer, input, below);
    if (l == 0) break;
    if (l - 1 < net_.heads.size()) head_pass(slot, chunk, l - 1, below);
    const Layer& under = net_.layers[l - 1];
    blend_gradient(slot, l - 1, rows, below);
    TypedOps<T>::chain(under.activation, static_cast<const T*>(slot.out[l - 1].data()),
                       stores_slope(under) ? static_cast<const T*>(slot.slope[l - 1].data()) : nullptr, below,
                       rows * under.out);
    if (under.scale >= 0) normalise_backward(slot, chunk.parameters, l - 1, rows, below);
    std::swap(delta, below);
  }
}

template <class T>
void Trainer<T>::head_pass(Slot& slot, const Chunk& chunk, std::size_t l, T* delta_below) {
  const Layer& head = net_.heads[l];
  const Index rows = chunk.rows.count;
  const View2D<const T> input(slot.out[l].data(), rows, head.in);
  T* scores = slot.head.data();
  multiply_dense(input, chunk.parameters + head.weight, head.out, scores);
  TypedOps<T>::activate(Activation::identity, scores, chunk.parameters + head.bias, static_cast<T*>(nullptr),
                        rows, head.out);
  slot.loss +=
      rule_.auxiliary * output_delta(rule_.output, chunk.problem.targets, chunk.rows, chunk.problem.weights,
                                     chunk.factor * rule_.auxiliary, View2D<T>(scores, rows, head.out));
  bias_gradient(slot, chunk, head, scores);
  weight_gradient(slot, chunk, head, input, false, scores);
  gemm_nt<T>(rows, head.in, head.out, T(1), scores, head.out, chunk.parameters + head.weight, head.out, T(1),
             delta_below, head.in);
}

// delta := scale / deviation (delta - mean(delta) - normal mean(delta normal)), per column.
template <class T>
void Trainer<T>::normalise_backward(Slot& slot, const T* parameters, std::size_t l, Index rows, T* delta) {
  const Layer& layer = net_.layers[l];
  const Index cols = layer.out;
  const T* normal = slot.normal[l].data();
  std::vector<double> sum(at(cols), 0.0), along(at(cols), 0.0);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const double value = static_cast<double>(delta[i * cols + j]);
      sum[at(j)] += value;
      along[at(j)] += value * static_cast<double>(normal[i * cols + j]);
    }
  }
  T* gradient = slot.gradient.data();
  for (Index j = 0; j < cols; ++j) {
    gradient[layer.scale + j] = static_cast<T>(along[at(j)]);
    gradient[layer.shift + j] = static_cast<T>(sum[at(j)]);
    sum[at(j)] /= static_cast<double>(rows);
    along[at(j)] /= static_cast<double>(rows);
  }
  const T* scale = parameters + layer.scale;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      T& value = delta[i * cols + j];
      const double inner =
          static_cast<double>(value) - sum[at(j)] - static_cast<double>(normal[i * cols + j]) * along[at(j)];
      value = static_cast<T>(static_cast<double>(scale[j]) * slot.spread[l][at(j)] * inner);
    }
  }
}

template <class T>
double Trainer<T>::gradient(std::span<const T> parameters, const Problem<T>& problem, int threads,
                            StopToken& stop, std::span<T> out) {
  const double loss =
      pass(parameters.data(), nullptr, problem, {nullptr, 0, problem.table.rows()}, 0, threads, stop);
  const Index size = net_.parameters;
  parallel_ranges(size, Index(16'384), size < 65'536 ? 1 : threads, stop, [&](Index first, Index last, int) {
    std::copy(slots_[0].gradient.begin() + first, slots_[0].gradient.begin() + last, out.begin() + first);
    for (Index s = 1; s < used_; ++s) {
      TypedOps<T>::add(T(1), static_cast<const T*>(slots_[at(s)].gradient.data() + first), out.data() + first,
                       last - first);
    }
  });
  return loss;
}

template <class T>
double Trainer<T>::epoch(const State<T>& state, const Problem<T>& problem, std::span<std::int64_t> order,
                         bool shuffle, Index batch, const StepRule& rule, std::uint64_t number,
                         std::int64_t& step, int threads, StopToken& stop) {
  const Index total = order.empty() ? problem.table.rows() : static_cast<Index>(order.size());
  if (shuffle) Rng(rule_.seed, number).shuffle(order.begin(), order.end());
  const Rows all{order.empty() ? nullptr : order.data(), 0, total};
  double sum = 0.0;
  std::vector<T*> gradients;
  for (Index first = 0; first < total && !stop.poll(); first += batch) {
    const Rows rows = all.part(first, std::min(batch, total - first));
    double weight = static_cast<double>(rows.count);
    if (!problem.weights.empty()) {
      weight = 0.0;
      for (Index i = 0; i < rows.count; ++i) weight += problem.weights[at(rows[i])];
    }
    const double loss =
        pass(state.moving.parameters.data(), state.statistics.empty() ? nullptr : state.statistics.data(),
             problem, rows, number, threads, stop);
    if (stop.requested()) break;
    gradients.clear();
    for (Index s = 0; s < used_; ++s) gradients.push_back(slots_[at(s)].gradient.data());
    const double square = make_step<T>(net_, rule, step, weight, gradients, state.moving, threads, stop);
    ++step;
    sum += (loss + 0.5 * rule.alpha * square / weight) * static_cast<double>(rows.count);
  }
  return sum / static_cast<double>(total);
}

template <class T>
void Trainer<T>::step(const State<T>& state, const StepRule& rule, std::span<T> gradient, std::int64_t number,
                      int threads, StopToken& stop) {
  T* const given[1] = {gradient.data()};
  make_step<T>(net_, rule, number, 1.0, given, state.moving, threads, stop);
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace certus::neural
