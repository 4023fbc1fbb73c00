// The loops over values of `row_hashes.hpp`, compiled once per instruction set: sums of g(key + bits(x)).
// Integer sums, so that all instruction sets give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace certus {

struct RowHashOps {
  // Over the columns of one row.
  std::uint64_t (*row_f)(const float* values, const std::uint64_t* keys, std::ptrdiff_t n);
  std::uint64_t (*row_d)(const double* values, const std::uint64_t* keys, std::ptrdiff_t n);
  // Adds one column to the sums of n rows.
  void (*column_f)(const float* values, std::ptrdiff_t stride, std::uint64_t key, std::ptrdiff_t n,
                   std::uint64_t* sums);
  void (*column_d)(const double* values, std::ptrdiff_t stride, std::uint64_t key, std::ptrdiff_t n,
                   std::uint64_t* sums);
  // Over the n stored values of a sparse row, each without g(key); columns in 32 and in 64 bits.
  std::uint64_t (*sparse_f32)(const float* values, const std::int32_t* columns, const std::uint64_t* keys,
                              std::ptrdiff_t n);
  std::uint64_t (*sparse_d32)(const double* values, const std::int32_t* columns, const std::uint64_t* keys,
                              std::ptrdiff_t n);
  std::uint64_t (*sparse_f64)(const float* values, const std::int64_t* columns, const std::uint64_t* keys,
                              std::ptrdiff_t n);
  std::uint64_t (*sparse_d64)(const double* values, const std::int64_t* columns, const std::uint64_t* keys,
                              std::ptrdiff_t n);
  // Sum of g(key), what a row of zeros has.
  std::uint64_t (*zeros)(const std::uint64_t* keys, std::ptrdiff_t n);
};

const RowHashOps& row_hash_ops() noexcept;

}  // namespace certus
