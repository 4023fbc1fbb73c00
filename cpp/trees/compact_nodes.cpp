#include "trees/compact_nodes.hpp"

#include "trees/columns.hpp"

namespace certus::trees {
namespace {

template <class Number>
void pack(std::span<const Number> left, std::span<const Number> right, std::span<const Number> feature,
          std::span<const double> threshold, std::span<const std::uint8_t> missing_left, std::int32_t offset,
          CompactNode* nodes) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::int32_t self = offset + static_cast<std::int32_t>(i);
    if (left[i] < 0) {
      nodes[i] = {0.0f, 0, {self, self}};
      continue;
    }
    nodes[i] = {largest_float_up_to(threshold[i]),
                static_cast<std::uint32_t>(feature[i]) | (missing_left[i] ? missing_bit : 0),
                {offset + static_cast<std::int32_t>(right[i]), offset + static_cast<std::int32_t>(left[i])}};
  }
}

}  // namespace

void pack_nodes(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
                std::span<const std::int64_t> feature, std::span<const double> threshold,
                std::span<const std::uint8_t> missing_left, std::int32_t offset, CompactNode* nodes) {
  pack(left, right, feature, threshold, missing_left, offset, nodes);
}

void pack_nodes(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                std::span<const std::int32_t> feature, std::span<const double> threshold,
                std::span<const std::uint8_t> missing_left, std::int32_t offset, CompactNode* nodes) {
  pack(left, right, feature, threshold, missing_left, offset, nodes);
}

void set_categories(std::span<const std::int64_t> numbers, CompactNode* nodes) {
  for (std::size_t set = 0; set < numbers.size(); ++set) {
    CompactNode& node = nodes[numbers[set]];
    node.feature |= category_bit;
    node.threshold = std::bit_cast<float>(static_cast<std::uint32_t>(set));
  }
}

}  // namespace certus::trees
