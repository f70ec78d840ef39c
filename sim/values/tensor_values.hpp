#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/functional/mma_engine.hpp"
#include "models/functional/poll.hpp"
#include "models/isa/launch.hpp"
#include "models/numerics/result.hpp"
#include "models/numerics/tensor_arithmetic.hpp"
#include "sim/values/distribution.hpp"
#include "sim/values/error_meter.hpp"
#include "sim/values/operand_store.hpp"
#include "sim/values/special_values.hpp"
#include "sim/values/tensor_operation.hpp"

namespace tcsim::values {

/// What rounding did to one input.
struct TensorInput {
  TensorShape shape;
  Conversion conversion;
};

/// One result and its errors.
struct TensorResult {
  TensorShape shape;
  std::vector<std::uint8_t> bytes;
  SpecialValues specials;
  ErrorFigures arithmetic;                 ///< against the definition on inputs as stored
  std::vector<std::int64_t> worst;         ///< coordinates of the largest error in ulp
  std::optional<ErrorFigures> conversion;  ///< against the definition on inputs before rounding, if
                                           ///< rounding changed any
  std::int64_t outside = 0;  ///< elements further off than the kernels' roundings explain
  double nearest_bound = 0;  ///< largest ratio of an error to its bound
  bool has_bound = false;    ///< of some element
};

/// What a stream of kernels has computed.
struct TensorValues {
  std::vector<TensorInput> inputs;
  std::vector<TensorResult> results;
  std::int64_t racing_bytes = 0;  ///< bytes of unordered shared-memory accesses
};

/// Draws the inputs of `operation`, executes `stream` and compares every result with the
/// definition. Bounds grow with the digits that the MMAs of `stream` keep less on `core` than on
/// its generation. If `engine` is given, it computes the MMAs. Refusals are those of
/// functional::execute. Requires that `stream` has the buffers that the operation names. Polls many
/// times a second.
numerics::Result<TensorValues> execute_operation(
    const TensorOperation& operation, Distribution distribution, std::uint64_t seed,
    const numerics::TensorArithmetic& core, std::span<const isa::KernelLaunch> stream,
    functional::MmaEngine* engine = nullptr, const functional::Poll& poll = [] {});

}  // namespace tcsim::values
