// The factors of members that share their weights, and units that blend their activation with the identity.
#include "neural/layer_product.hpp"
#include "neural/trainer.hpp"

namespace certus::neural {

template <class T>
View2D<const T> Trainer<T>::scale_inputs(Slot& slot, const Chunk& chunk, const Layer& layer,
                                         View2D<const T> x) const {
  if (net_.members == 0) return x;
  scale_rows(x, chunk.parameters + layer.in_factor + chunk.member * layer.in, slot.scaled.data());
  return {slot.scaled.data(), x.rows, x.cols};
}

template <class T>
void Trainer<T>::scale_outputs(Slot& slot, const Chunk& chunk, std::size_t l, T* z) const {
  if (net_.members == 0) return;
  const Layer& layer = net_.layers[l];
  std::copy_n(z, chunk.rows.count * layer.out, slot.product[l].data());
  const View2D<const T> product(slot.product[l].data(), chunk.rows.count, layer.out);
  scale_rows(product, chunk.parameters + layer.out_factor + chunk.member * layer.out, z);
}

// What entered the activation is in `normal`; it becomes act(z) - z, which the share's gradient needs.
template <class T>
void Trainer<T>::blend(Slot& slot, const Chunk& chunk, std::size_t l) const {
  const Layer& layer = net_.layers[l];
  if (layer.blend < 0) return;
  const T* share = chunk.parameters + layer.blend;
  T* out = slot.out[l].data();
  T* slope = slot.slope[l].data();
  T* apart = slot.normal[l].data();
  for (Index i = 0; i < chunk.rows.count; ++i) {
    for (Index j = 0; j < layer.out; ++j, ++out, ++slope, ++apart) {
      const T before = *apart;
      *apart = *out - before;
      *out = before + share[j] * *apart;
      *slope = T(1) + share[j] * (*slope - T(1));
    }
  }
}

template <class T>
void Trainer<T>::blend_gradient(Slot& slot, std::size_t l, Index rows, const T* delta) const {
  const Layer& layer = net_.layers[l];
  if (layer.blend < 0) return;
  add_products(delta, slot.normal[l].data(), rows, layer.out, slot.gradient.data() + layer.blend);
}

// The gradient of the outputs' factors; delta becomes that of the product W'(r * x).
template <class T>
void Trainer<T>::factor_gradient(Slot& slot, const Chunk& chunk, std::size_t l, T* delta) const {
  if (net_.members == 0) return;
  const Layer& layer = net_.layers[l];
  const Index place = layer.out_factor + chunk.member * layer.out, rows = chunk.rows.count;
  add_products(static_cast<const T*>(delta), slot.product[l].data(), rows, layer.out,
               slot.gradient.data() + place);
  for (Index i = 0; i < rows; ++i)
    TypedOps<T>::multiply(chunk.parameters + place, delta + i * layer.out, layer.out);
}

// The gradient of the inputs' factors; `below` becomes that of the inputs.
template <class T>
void Trainer<T>::input_gradient(Slot& slot, const Chunk& chunk, const Layer& layer, View2D<const T> x,
                                T* below) const {
  if (net_.members == 0) return;
  const Index place = layer.in_factor + chunk.member * layer.in;
  T* gradient = slot.gradient.data() + place;
  for (Index i = 0; i < x.rows; ++i) {
    T* row = below + i * layer.in;
    const T* values = x.row(i);
    for (Index j = 0; j < layer.in; ++j) gradient[j] += row[j] * values[j];
    TypedOps<T>::multiply(chunk.parameters + place, row, layer.in);
  }
}

#define CERTUS_INSTANTIATE(T)                                                                           \
  template View2D<const T> Trainer<T>::scale_inputs(Slot&, const Chunk&, const Layer&, View2D<const T>) \
      const;                                                                                            \
  template void Trainer<T>::scale_outputs(Slot&, const Chunk&, std::size_t, T*) const;                  \
  template void Trainer<T>::blend(Slot&, const Chunk&, std::size_t) const;                              \
  template void Trainer<T>::blend_gradient(Slot&, std::size_t, Index, const T*) const;                  \
  template void Trainer<T>::factor_gradient(Slot&, const Chunk&, std::size_t, T*) const;                \
  template void Trainer<T>::input_gradient(Slot&, const Chunk&, const Layer&, View2D<const T>, T*) const;
CERTUS_INSTANTIATE(float)
CERTUS_INSTANTIATE(double)
#undef CERTUS_INSTANTIATE

}  // namespace certus::neural
