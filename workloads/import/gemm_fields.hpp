#pragma once

#include <array>
#include <optional>
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

/// Collects the parts of a GEMM from fields in any order, with their mistakes.
class GemmFields {
 public:
  /// Keys that `set` knows.
  static const std::vector<std::string_view>& keys();

  /// Takes one field; an empty value of dtype, acc, out and layout means the default. A mistake is
  /// kept, not thrown.
  void set(const Field& field);
  /// m = n = k.
  void set_square(std::string_view size, int column);

  /// The problem with defaults in place of what was not given, or nothing if there are mistakes.
  /// `end_column` is where missing keys are reported. Types that exist but that no generator knows
  /// leave `unsupported_reason`.
  std::optional<kernels::GemmProblem> finish(int end_column);

  /// Adds a mistake that the caller found.
  void complain(int column, std::string_view what, std::string reason);
  [[nodiscard]] const std::vector<Complaint>& complaints() const { return complaints_; }
  [[nodiscard]] const std::string& unsupported_reason() const { return unsupported_; }

 private:
  std::int64_t extent(std::string_view what, std::string_view text, int column,
                      std::int64_t largest);
  std::optional<kernels::Element> element(const Field& field);
  void set_layout(const Field& field);

  kernels::GemmProblem problem_;
  std::optional<kernels::Element> input_;
  std::optional<kernels::Element> accumulate_;
  std::optional<kernels::Element> output_;
  std::vector<std::string> seen_;
  std::vector<Complaint> complaints_;
  std::string unsupported_;
};

}  // namespace tcsim::workload
