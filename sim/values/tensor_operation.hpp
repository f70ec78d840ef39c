#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/functional/global_memory.hpp"
#include "models/functional/poll.hpp"
#include "sim/values/operand_store.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// A tensor in a buffer of the same name, in memory order, innermost extent last.
struct TensorShape {
  std::string name;
  kernels::Element element;
  std::vector<std::int64_t> extents;

  [[nodiscard]] std::int64_t elements() const;
};

/// Elements in memory order, one vector per tensor.
using TensorElements = std::vector<std::vector<double>>;

/// Receives element `index` of result `result`: its value by the definition, and how far the
/// kernels' roundings may move it from there (infinity: no bound).
using ElementVisit =
    std::function<void(std::size_t result, std::int64_t index, double exact, double allowed)>;

/// An input that has been written to memory: how that changed it, and the values of its elements
/// afterwards, in the order of its shape.
struct WrittenTensor {
  Conversion conversion;
  std::vector<double> elements;
};

/// What a stream of kernels computes, by its definition.
struct TensorOperation {
  std::vector<TensorShape> inputs;
  std::vector<TensorShape> results;
  /// Calls the visitor for the elements of the results: for all of them if that takes less than
  /// about ten seconds, else for evenly chosen ones.
  std::function<void(const TensorElements& inputs, const ElementVisit& visit)> evaluate;
  /// Computes inputs that depend on others, after all have been drawn; may be empty. Polls many
  /// times a second.
  std::function<void(TensorElements& inputs, const functional::Poll& poll)> derive{};
  /// Whether an element of a result is defined; empty: all elements of all results are.
  std::function<bool(std::size_t result, std::int64_t index)> defines{};
  /// Writes input number `input` if its buffer layout differs from its shape; nothing for the
  /// others. May be empty.
  std::function<std::optional<WrittenTensor>(std::size_t input, const std::vector<double>& elements,
                                             functional::GlobalMemory& memory)>
      write{};
};

/// The distance between evaluated items, so that the multiply-adds of `items` items, `each` per
/// item, stay below kMostExactProducts; coprime to `period`.
std::int64_t thinning(std::int64_t items, std::int64_t each, std::int64_t period);

/// Half a unit in the last place of `element` at `value`: the error of one rounding to nearest.
double rounding_to(kernels::Element element, double value);

/// The stored result in `element` for the real number `exact`, which the kernel computes within
/// `allowed`: INT8 saturates; the rounding to the format is allowed too.
struct StoredNumber {
  double exact;
  double allowed;
};
StoredNumber stored_number(kernels::Element element, double exact, double allowed);

/// The allowed error of a sum in `element` of products, whose magnitudes add up to `magnitude`,
/// after that many roundings; infinite if a part of it may overflow.
double sum_error(kernels::Element element, double magnitude, double roundings);

/// Relative error of one rounding to nearest in the normal range of `element`; 0 for integers.
double unit_roundoff(kernels::Element element);

}  // namespace tcsim::values
