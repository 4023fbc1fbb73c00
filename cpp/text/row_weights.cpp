#include "text/row_weights.hpp"

#include <cmath>

#include "core/parallel.hpp"

namespace certus::text {

template <class Value, class Place>
void weigh_rows(std::span<Value> values, std::span<const Place> columns, std::span<const Place> starts,
                std::span<const Value> weights, Norm norm, int threads, StopToken& stop) {
  parallel_ranges(
      static_cast<Index>(starts.size()) - 1, 512, threads, stop, [&](Index first, Index last, int) {
        if (stop.poll()) return;
        for (Index i = first; i < last; ++i) {
          const auto begin = static_cast<std::size_t>(starts[static_cast<std::size_t>(i)]);
          const auto end = static_cast<std::size_t>(starts[static_cast<std::size_t>(i) + 1]);
          double sum = 0.0;
          for (std::size_t k = begin; k < end; ++k) {
            if (!weights.empty()) values[k] *= weights[static_cast<std::size_t>(columns[k])];
            sum += static_cast<double>(norm == Norm::l1 ? std::abs(values[k]) : values[k] * values[k]);
          }
          if (norm == Norm::none || sum == 0.0) continue;
          const double length = norm == Norm::l2 ? std::sqrt(sum) : sum;
          for (std::size_t k = begin; k < end; ++k)
            values[k] = static_cast<Value>(static_cast<double>(values[k]) / length);
        }
      });
}

#define CERTUS_WEIGH(Value, Place)                                                                         \
  template void weigh_rows<Value, Place>(std::span<Value>, std::span<const Place>, std::span<const Place>, \
                                         std::span<const Value>, Norm, int, StopToken&);
CERTUS_WEIGH(float, std::int32_t)
CERTUS_WEIGH(double, std::int32_t)
CERTUS_WEIGH(float, std::int64_t)
CERTUS_WEIGH(double, std::int64_t)
#undef CERTUS_WEIGH

}  // namespace certus::text
