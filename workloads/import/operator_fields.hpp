#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::workload {

/// What is wrong at one column (from 1) of a text.
struct Complaint {
  int column;
  std::string what;
  std::string reason;
};

/// A key, its value and where the value starts, column from 1.
struct Field {
  std::string_view key;
  std::string_view value;
  int key_column;
  int value_column;
};

/// The value of `field` cut at `separator`, each part with its column and the key of the field.
std::vector<Field> parts(const Field& field, char separator);
/// Cuts "m=40,n=8" at `separator`. Empty parts and parts without '=' have an empty key.
std::vector<Field> split_fields(std::string_view text, char separator, int first_column);

/// A size of a problem and the keys that set it.
template <typename Problem>
struct Extent {
  std::string_view key;
  std::string_view both;  ///< key that sets this size and its partner; empty: there is none
  std::int64_t Problem::*field;
  std::int64_t smallest;
};
inline constexpr std::int64_t kLargestImageExtent = 65535;
/// Types that sums may have.
inline constexpr std::array<std::string_view, 2> kSumTypes{"fp32", "fp16"};

/// What the fields of all operations have in common: keys given once, numbers, element types, and
/// their mistakes, which are kept, not thrown.
class OperatorFields {
 public:
  /// Adds a mistake that the caller found.
  void complain(int column, std::string_view what, std::string reason);
  [[nodiscard]] const std::vector<Complaint>& complaints() const { return complaints_; }
  /// Every key, in its first spelling.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Why no generator supports what the fields ask for; empty if one does.
  [[nodiscard]] const std::string& unsupported_reason() const { return unsupported_; }

 protected:
  /// `keys`: every key of `operation`; a key with two spellings is written as "n|seq".
  OperatorFields(std::string_view operation, const std::vector<std::string_view>& keys);

  /// The first spelling of the field's key if the key is known, new and followed by a value; else
  /// nothing, and a mistake.
  std::string_view accept(const Field& field);
  [[nodiscard]] bool was_given(std::string_view key) const;
  void mark_given(std::string_view key) { seen_.emplace_back(key); }
  /// The operation's name states `key`, so that no field may.
  void mark_stated(std::string_view key) { stated_.emplace_back(key); }
  /// Complains at `end_column` about those of `keys` that were not given.
  void require(std::span<const std::string_view> keys, int end_column);
  /// Records a legal request that no generator supports.
  void set_unsupported(std::string reason) { unsupported_ = std::move(reason); }

  /// A number in [smallest, largest]; otherwise a mistake and `smallest`.
  std::int64_t number(const Field& field, std::int64_t smallest, std::int64_t largest);
  /// "3" as 3 and 3, "3x5" as 3 and 5: numbers in [smallest, largest], or mistakes.
  std::array<std::int64_t, 2> pair(const Field& field, std::int64_t smallest, std::int64_t largest);
  /// Sets the size that the field names among `extents`, where the vertical one comes first; a
  /// partner that was set before is a mistake. A key for both takes one number, or two, "3x5".
  template <typename Problem>
  void set_extent(const Field& field, std::span<const Extent<Problem>> extents, Problem& problem);
  /// 0 or 1.
  bool flag(const Field& field);
  /// The element type; nothing for a mistake or a type that no generator supports.
  std::optional<kernels::Element> element(const Field& field);
  /// The element type if it is among `generated`; nothing for a mistake or a type for which no
  /// `kernel` ("softmax") is generated.
  std::optional<kernels::Element> element(const Field& field,
                                          std::span<const kernels::Element> generated,
                                          std::string_view kernel);
  /// Position of the value in `words`, or a mistake and nothing.
  std::optional<std::size_t> choice(const Field& field, std::span<const std::string_view> words);

 private:
  std::string operation_;
  std::vector<std::vector<std::string_view>> keys_;
  std::vector<std::string> seen_;
  std::vector<std::string> stated_;
  std::vector<Complaint> complaints_;
  std::string unsupported_;
};

template <typename Problem>
void OperatorFields::set_extent(const Field& field, std::span<const Extent<Problem>> extents,
                                Problem& problem) {
  std::optional<std::array<std::int64_t, 2>> values;
  std::size_t side = 0;
  for (const Extent<Problem>& extent : extents) {
    if (field.key != extent.key && field.key != extent.both) continue;
    if (field.key == extent.both) {
      if (!values) values = pair(field, extent.smallest, kLargestImageExtent);
      const std::int64_t value = values->at(side++);
      if (was_given(extent.key)) {
        complain(field.key_column, operation_, "'" + std::string(extent.key) + "' is given twice");
        continue;
      }
      mark_given(extent.key);
      problem.*extent.field = value;
    } else {
      problem.*extent.field = number(field, extent.smallest, kLargestImageExtent);
    }
  }
}

/// What libraries accumulate in and return by default: half types return the input type, the others
/// the accumulator's.
kernels::Element default_accumulate(kernels::Element input);
kernels::Element default_output(kernels::Element input, kernels::Element accumulate);

/// The element types of a product that were given.
struct ProductTypes {
  std::optional<kernels::Element> input{};
  std::optional<kernels::Element> accumulate{};
  std::optional<kernels::Element> output{};

  /// Sets these types, or their defaults, and the unit of a GemmProblem or ConvProblem.
  template <typename Problem>
  void apply(Problem& problem) const {
    problem.input = input.value_or(kernels::Element::kFp16);
    problem.accumulate = accumulate.value_or(default_accumulate(problem.input));
    problem.output = output.value_or(default_output(problem.input, problem.accumulate));
    // No tensor core supports FP32 operands.
    if (problem.input == kernels::Element::kFp32) problem.unit = kernels::Unit::kCudaCore;
  }
};

/// `text` in lower case.
std::string lower_case(std::string_view text);

}  // namespace tcsim::workload
