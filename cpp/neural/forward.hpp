// Prediction: the outputs of the first `depth` layers for every row, in blocks of rows; the last layer's are
// scores (the caller turns them into probabilities). `member` is 0 where there are none.
#pragma once

#include "core/stop.hpp"
#include "neural/architecture.hpp"
#include "neural/table.hpp"

namespace certus::neural {

template <class T>
void forward(const Architecture& net, const T* parameters, const T* statistics, const Table<T>& table,
             Index depth, Index member, int threads, StopToken& stop, View2D<T> out);

// Scores as probabilities, in place: softmax of every row.
template <class T>
void softmax_rows(View2D<T> scores, int threads, StopToken& stop);

// z := scale (z - mean) / sqrt(variance + epsilon) + shift, with the layer's bias added to z first.
template <class T>
void normalise_by_running(const Layer& layer, const T* parameters, const T* statistics, T* z, Index rows);

}  // namespace certus::neural
