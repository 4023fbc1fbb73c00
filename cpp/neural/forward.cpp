#include "neural/forward.hpp"

#include <cmath>
#include <vector>

#include "core/parallel.hpp"
#include "neural/layer_product.hpp"

namespace certus::neural {

namespace {
constexpr Index block_rows = 256;
constexpr Index serial_work = 400'000;  // multiplications that one thread does sooner than a second is awake
}  // namespace

template <class T>
void normalise_by_running(const Layer& layer, const T* parameters, const T* statistics, T* z, Index rows) {
  std::vector<T> factor(static_cast<std::size_t>(layer.out)), offset(static_cast<std::size_t>(layer.out));
  for (Index j = 0; j < layer.out; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double spread = std::sqrt(static_cast<double>(statistics[layer.variance + j]) + norm_epsilon);
    factor[at] = static_cast<T>(static_cast<double>(parameters[layer.scale + j]) / spread);
    offset[at] =
        parameters[layer.shift + j] + factor[at] * (parameters[layer.bias + j] - statistics[layer.mean + j]);
  }
  for (Index i = 0; i < rows; ++i, z += layer.out) {
    for (Index j = 0; j < layer.out; ++j) {
      z[j] = z[j] * factor[static_cast<std::size_t>(j)] + offset[static_cast<std::size_t>(j)];
    }
  }
}

namespace {

// How one layer turns what enters it into its outputs, for the rows of a block.
template <class T>
void forward_layer(const Architecture& net, const Layer& layer, const T* parameters, const T* statistics,
                   Index member, Index rows, T* entered, T* z) {
  const T* bias = parameters + layer.bias + member * layer.out;
  std::vector<T> zeros;
  if (net.members > 0) {
    scale_rows(View2D<const T>(z, rows, layer.out), parameters + layer.out_factor + member * layer.out, z);
  }
  if (layer.scale >= 0) {
    normalise_by_running(layer, parameters, statistics, z, rows);
    zeros.assign(static_cast<std::size_t>(layer.out), T(0));
    bias = zeros.data();
  }
  T* const none = nullptr;
  if (layer.blend >= 0) {
    std::copy_n(z, rows * layer.out, entered);
    TypedOps<T>::activate(Activation::identity, entered, bias, none, rows, layer.out);
  }
  TypedOps<T>::activate(layer.activation, z, bias, none, rows, layer.out);
  if (layer.blend < 0) return;
  const T* share = parameters + layer.blend;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < layer.out; ++j, ++z, ++entered) *z = *entered + share[j] * (*z - *entered);
  }
}

template <class T>
void forward_block(const Architecture& net, const T* parameters, const T* statistics, const Table<T>& table,
                   Index depth, Index member, const Rows& rows, T* scratch, View2D<T> out) {
  const Index width = std::max(net.widest(), table.sparse() ? Index(0) : table.cols());
  T* spare[2] = {scratch, scratch + rows.count * width};
  T* third = scratch + 2 * rows.count * width;
  View2D<const T> x;
  if (!table.sparse()) x = dense_rows(table, rows, spare[1]);
  for (Index l = 0; l < depth; ++l) {
    const Layer& layer = net.layers[static_cast<std::size_t>(l)];
    T* z = l + 1 == depth ? out.row(rows.first) : spare[l % 2];
    if (net.members > 0) {
      scale_rows(x, parameters + layer.in_factor + member * layer.in, third);
      x = View2D<const T>(third, rows.count, layer.in);
    }
    if (l == 0 && table.sparse()) {
      multiply_sparse(table, rows, parameters + layer.weight, layer.out, z);
    } else {
      multiply_dense(x, parameters + layer.weight, layer.out, z);
    }
    forward_layer(net, layer, parameters, statistics, member, rows.count, third, z);
    x = View2D<const T>(z, rows.count, layer.out);
  }
}

}  // namespace

template <class T>
void forward(const Architecture& net, const T* parameters, const T* statistics, const Table<T>& table,
             Index depth, Index member, int threads, StopToken& stop, View2D<T> out) {
  const Index rows = table.rows(), tall = std::min(block_rows, rows);
  const Index width = std::max(net.widest(), table.sparse() ? Index(0) : table.cols());
  const bool serial = table.entries() * net.layers.front().out + rows * net.parameters < serial_work;
  const int workers = serial ? 1 : threads;
  const auto share = static_cast<std::size_t>((net.members > 0 ? 3 : 2) * tall * width);
  std::vector<T> scratch(share * static_cast<std::size_t>(workers));
  parallel_ranges(rows, block_rows, workers, stop, [&](Index first, Index last, int worker) {
    forward_block(net, parameters, statistics, table, depth, member, Rows{nullptr, first, last - first},
                  scratch.data() + share * static_cast<std::size_t>(worker), out);
  });
}

template <class T>
void softmax_rows(View2D<T> scores, int threads, StopToken& stop) {
  parallel_ranges(scores.rows, 4096, threads, stop, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      double largest = 0.0, total = 0.0;
      T* row = scores.row(i);
      TypedOps<T>::exponentials(row, Index(1), scores.cols, &largest, &total);
      for (Index j = 0; j < scores.cols; ++j) row[j] = static_cast<T>(static_cast<double>(row[j]) / total);
    }
  });
}

#define CERTUS_INSTANTIATE(T)                                                                        \
  template void normalise_by_running(const Layer&, const T*, const T*, T*, Index);                   \
  template void forward(const Architecture&, const T*, const T*, const Table<T>&, Index, Index, int, \
                        StopToken&, View2D<T>);                                                      \
  template void softmax_rows(View2D<T>, int, StopToken&);
CERTUS_INSTANTIATE(float)
CERTUS_INSTANTIATE(double)
#undef CERTUS_INSTANTIATE

}  // namespace certus::neural
