#include "sim/networks/onnx_dimensions.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/networks/onnx_attributes.hpp"

namespace tcsim::networks {

std::int64_t within_limits(std::int64_t size) { return std::clamp(size, kUnknown, kLargestSize); }

std::int64_t product(const Dimensions& sizes) {
  std::int64_t all = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0) return kUnknown;
    if (size == 0) return 0;
    all = size > kLargestSize / all ? kLargestSize : all * size;
  }
  return all;
}

Dimensions broadcast(const Dimensions& a, const Dimensions& b) {
  Dimensions result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto size_of = [&](const Dimensions& sizes) {
      const std::size_t missing = result.size() - sizes.size();
      return i < missing ? 1 : sizes[i - missing];
    };
    const std::int64_t left = size_of(a);
    const std::int64_t right = size_of(b);
    if (left == right || right == 1 || (right < 0 && left != 1 && left >= 0))
      result[i] = left;
    else if (left == 1 || left < 0)
      result[i] = right;
    else
      throw std::invalid_argument("operands of " + text(a) + " and " + text(b) + " do not match");
  }
  return result;
}

std::size_t axis_from_front(std::int64_t axis, std::size_t rank) {
  const auto dimensions = static_cast<std::int64_t>(rank);
  if (axis < -dimensions || axis >= dimensions)
    throw std::invalid_argument("axis " + std::to_string(axis) + " of a tensor with " +
                                std::to_string(rank) + " dimensions");
  return static_cast<std::size_t>(axis < 0 ? axis + dimensions : axis);
}

std::optional<std::vector<std::int64_t>> attribute_or_input(const OnnxOperands& operands,
                                                            const char* name, std::size_t input) {
  if (attribute(operands.node, name) != nullptr) return integers_attribute(operands.node, name);
  const int count = operands.node.input_size();
  const bool is_given =
      static_cast<int>(input) < count && !operands.node.input(static_cast<int>(input)).empty();
  if (!is_given) return std::vector<std::int64_t>{};
  if (operands.values(input) == nullptr) return std::nullopt;
  return *operands.values(input);
}

const Dimensions* second_operand(const OnnxOperands& operands) {
  return operands.shape(operands.node.op_type().starts_with("QLinear") ? 3 : 1);
}

SliceRange slice_range(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0) throw std::invalid_argument("a step of 0");
  const auto from_front = [size](std::int64_t at) { return at < 0 ? at + size : at; };
  SliceRange range{0, step, 0};
  std::int64_t last = 0;
  if (step > 0) {
    range.first = std::clamp<std::int64_t>(from_front(start), 0, size);
    last = std::clamp<std::int64_t>(from_front(end), 0, size);
    if (last > range.first) range.count = (last - range.first - 1) / step + 1;
  } else {
    range.first = std::clamp<std::int64_t>(from_front(start), -1, size - 1);
    last = std::clamp<std::int64_t>(from_front(end), -1, size - 1);
    if (last < range.first) range.count = (last - range.first + 1) / step + 1;
  }
  return range;
}

std::string text(const Dimensions& sizes) {
  std::string joined;
  for (const std::int64_t size : sizes)
    joined += (joined.empty() ? "" : "x") + (size < 0 ? "?" : std::to_string(size));
  return joined.empty() ? "a single number" : joined;
}

}  // namespace tcsim::networks
