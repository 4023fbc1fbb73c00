#include "online/adaptive_ops.hpp"

namespace certus::CERTUS_ISA {
namespace {

constexpr double smallest_root = 1e-150;  // below it a gradient's square is no longer seen

inline void column(double x, AdaptiveStep by, double& w, double limit, double& squares, double& total) {
  const double g = by.slope * x;
  squares += g * g;
  total += g;
  const double root = __builtin_sqrt(squares);
  const double to = w - by.rate * (limit * (g / (root > smallest_root ? root : smallest_root)));
  const double end = by.unit * limit;
  const double cut = to < end ? to : end;
  w = cut > -end ? cut : -end;
}

bool outgrown(const double* x, const double* limit, double radius, std::ptrdiff_t n) {
  const double bound = radius * (1.0 + 1e-15);
  int over = 0;
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    const double size = x[j] < 0.0 ? -x[j] : x[j];
    over |= size * limit[j] > bound ? 1 : 0;
  }
  return over != 0;
}

void step(const double* __restrict x, AdaptiveStep by, const AdaptiveColumns& at, std::ptrdiff_t n) {
  double* __restrict w = at.w;
  double* __restrict squares = at.squares;
  double* __restrict total = at.total;
  const double* __restrict limit = at.limit;
  for (std::ptrdiff_t j = 0; j < n; ++j) column(x[j], by, w[j], limit[j], squares[j], total[j]);
}

void step_entries(const double* x, const std::int32_t* columns, AdaptiveStep by, const AdaptiveColumns& at,
                  std::ptrdiff_t n) {
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const std::int32_t j = columns[k];
    column(x[k], by, at.w[j], at.limit[j], at.squares[j], at.total[j]);
  }
}

}  // namespace

extern const AdaptiveOps adaptive_ops_table;
const AdaptiveOps adaptive_ops_table = {outgrown, step, step_entries};

}  // namespace certus::CERTUS_ISA
