#pragma once

#include <optional>

#include "sim/networks/onnx_shape_rules.hpp"

namespace tcsim::networks {

/// `size`, kUnknown if it is negative, and no more than kLargestSize.
std::int64_t within_limits(std::int64_t size);

/// The product; kUnknown if a factor is, and no more than kLargestSize.
std::int64_t product(const Dimensions& sizes);

/// The sizes of an element-wise result of both (ONNX's multidirectional broadcasting). Throws
/// std::invalid_argument if they do not match.
Dimensions broadcast(const Dimensions& a, const Dimensions& b);

/// `axis` counted from the front. Throws std::invalid_argument unless -rank <= axis < rank.
std::size_t axis_from_front(std::int64_t axis, std::size_t rank);

/// Numbers that an operator has as an attribute in old versions and as input `input` in new ones;
/// nothing if the input is not known, empty if there is neither.
std::optional<std::vector<std::int64_t>> attribute_or_input(const OnnxOperands& operands,
                                                            const char* name, std::size_t input);

/// The sizes of the weights, the second operand of a convolution or product: in the quantised forms
/// behind the scale and zero point of the first.
const Dimensions* second_operand(const OnnxOperands& operands);

/// Elements [start, end) in steps, as Slice counts them.
struct SliceRange {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};
/// Throws std::invalid_argument for a step of 0. Requires size >= 0.
SliceRange slice_range(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step);

/// Sizes as people write them, "1x3x?".
std::string text(const Dimensions& sizes);

// Rules for groups of operators, as result_dimensions.
std::optional<Dimensions> window_result(const OnnxOperands& operands);
std::optional<Dimensions> product_result(const OnnxOperands& operands);
std::optional<Dimensions> view_result(const OnnxOperands& operands, int output);

}  // namespace tcsim::networks
