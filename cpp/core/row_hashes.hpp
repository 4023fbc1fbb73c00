// A 64-bit hash of every row of a table, by which equal rows are recognized later:
//
//   h(x) = mix( sum_j g(key_j + bits(x_j)) - g(key_j) )
//
// bits(x) are those of x rounded to float32, with one zero and one NaN, so that a table hashes alike in
// float32 and float64; key_j belongs to column j. Zeros add nothing, so that a sparse row hashes as the dense
// one. The sum does not depend on the order of the columns, if their keys go with them.
//
// Cost: one pass, half a nanosecond a value in wide registers; blocks of rows on the pool.
#pragma once

#include <cstdint>
#include <span>

#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "core/view2d.hpp"

namespace certus {

template <class T>
void hash_rows(View2D<const T> table, std::span<const std::uint64_t> keys, std::span<std::uint64_t> out,
               int threads, StopToken& stop);

// The rows of a compressed sparse matrix; column numbers must be below the number of keys.
template <class T, class I>
void hash_sparse_rows(std::span<const T> values, std::span<const I> columns, std::span<const I> starts,
                      std::span<const std::uint64_t> keys, std::span<std::uint64_t> out, int threads,
                      StopToken& stop);

}  // namespace certus
