#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tcsim::networks {

/// Sizes of a tensor; a negative one is not known.
using Dimensions = std::vector<std::int64_t>;
inline constexpr std::int64_t kUnknown = -1;
/// Larger sizes are not used in computations: no tensor of a network is that large.
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

/// A node and what is known of its inputs; null if nothing is known.
struct OnnxOperands {
  const onnx::NodeProto& node;
  std::vector<const Dimensions*> dimensions;
  std::vector<const std::vector<std::int64_t>*> numbers;  ///< whole, of short tensors
  bool has_floats = false;  ///< some of the numbers are of a floating-point type

  [[nodiscard]] const Dimensions* shape(std::size_t input) const {
    return input < dimensions.size() ? dimensions[input] : nullptr;
  }
  [[nodiscard]] const std::vector<std::int64_t>* values(std::size_t input) const {
    return input < numbers.size() ? numbers[input] : nullptr;
  }
};

/// Sizes of output `output` as the ONNX operators define them, nothing if they do not follow from
/// what is known or the operator has no rule here. Throws std::invalid_argument with a reason if
/// operands contradict each other.
std::optional<Dimensions> result_dimensions(const OnnxOperands& operands, int output);

/// Values of the first output if it is a short tensor of whole numbers, as in computations of
/// shapes; otherwise nothing.
std::optional<std::vector<std::int64_t>> result_numbers(const OnnxOperands& operands);

}  // namespace tcsim::networks
