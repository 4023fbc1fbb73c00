#include "svm/whole_kernel.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "svm/kernel_ops.hpp"

namespace certus::svm {
namespace {

constexpr Index strip = 32;  // rows of a task: their products stay in the second-level cache
constexpr Index score_block = 2048;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void fill_symmetric(const KernelRows<double>& rows, Index first, Index count, double* out, Index stride,
                    int threads, StopToken& stop) {
  if (rows.kernel().kind == KernelKind::given) {  // taken as it is, even if it is not symmetric
    rows.block(first, count, first, count, out, stride);
    return;
  }
  parallel_ranges(count, strip, threads, stop, [&](Index from, Index to, int) {
    double* corner = out + from * stride + from;
    rows.block(first + from, to - from, first + from, count - from, corner, stride);
    for (Index r = 0; r < to - from; ++r) {
      for (Index c = 0; c < r; ++c) corner[r * stride + c] = corner[c * stride + r];
    }
    svm_ops().transpose(corner + (to - from), to - from, count - to, corner + (to - from) * stride, stride);
  });
}

void fill_rectangle(const KernelRows<double>& rows, Index top, Index high, Index first, Index wide,
                    double* out, double* mirrored, Index stride) {
  if (rows.kernel().kind == KernelKind::given) rows.block(first, wide, top, high, mirrored, stride);
  for (Index from = 0; from < high; from += strip) {
    const Index lines = std::min(strip, high - from);
    rows.block(top + from, lines, first, wide, out + from * stride, stride);
    if (rows.kernel().kind != KernelKind::given) {
      svm_ops().transpose(out + from * stride, lines, wide, mirrored + from, stride);
    }
  }
}

void WholeKernel::fetch(std::span<const Index> rows, std::span<const double*> out, int, StopToken&) const {
  for (std::size_t r = 0; r < rows.size(); ++r) out[r] = matrix_ + rows[r] * size_;
}

void WholeKernel::sums(std::span<const double> coefficients, int threads, StopToken& stop,
                       std::span<double> scores) const {
  std::vector<const double*> lines;
  std::vector<double> used;
  for (Index j = 0; j < size_; ++j) {
    if (coefficients[at(j)] != 0.0) lines.push_back(matrix_ + j * size_), used.push_back(coefficients[at(j)]);
  }
  std::fill(scores.begin(), scores.end(), 0.0);
  parallel_ranges(size_, score_block, threads, stop, [&](Index first, Index last, int) {
    kernel_ops<double>().add_rows(lines.data(), used.data(), static_cast<Index>(used.size()), first,
                                  scores.data() + first, last - first);
  });
}

}  // namespace certus::svm
