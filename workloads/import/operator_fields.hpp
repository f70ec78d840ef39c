#pragma once

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

/// Cuts "m=40,n=8" at `separator`. Empty parts and parts without '=' have an empty key.
std::vector<Field> split_fields(std::string_view text, char separator, int first_column);

/// What the fields of every operation have in common: keys given once, numbers, element types, and
/// their mistakes, which are kept, not thrown.
class OperatorFields {
 public:
  /// Adds a mistake that the caller found.
  void complain(int column, std::string_view what, std::string reason);
  [[nodiscard]] const std::vector<Complaint>& complaints() const { return complaints_; }
  /// Why no generator knows a type that exists; empty if all are known.
  [[nodiscard]] const std::string& unsupported_reason() const { return unsupported_; }

 protected:
  explicit OperatorFields(std::string_view operation) : operation_(operation) {}

  /// True if the field has one of `known` keys, for the first time; else that is a mistake.
  bool accept(const Field& field, const std::vector<std::string_view>& known);
  [[nodiscard]] bool was_given(std::string_view key) const;
  void mark_given(std::string_view key) { seen_.emplace_back(key); }
  /// Complains at `end_column` about those of `keys` that were not given.
  void require(std::span<const std::string_view> keys, int end_column);

  /// A number of [smallest, largest], or a mistake and `smallest`.
  std::int64_t number(std::string_view what, std::string_view text, int column,
                      std::int64_t smallest, std::int64_t largest);
  /// The element type; nothing for an empty value, a mistake, or a type that no generator knows.
  std::optional<kernels::Element> element(const Field& field);
  /// Position of the value in `words`, or a mistake and nothing.
  std::optional<std::size_t> choice(const Field& field, std::span<const std::string_view> words);

 private:
  std::string_view operation_;
  std::vector<std::string> seen_;
  std::vector<Complaint> complaints_;
  std::string unsupported_;
};

/// What libraries accumulate and return where it is not said: half types come back as they came,
/// the others as accumulated.
kernels::Element default_accumulate(kernels::Element input);
kernels::Element default_output(kernels::Element input, kernels::Element accumulate);

/// `text` in lower case.
std::string lower_case(std::string_view text);

}  // namespace tcsim::workload
