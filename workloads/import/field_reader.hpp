#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/import/gemm_fields.hpp"

namespace tcsim::workload {

/// Reads the values of an operation's fields; collects the mistakes instead of throwing.
class FieldReader {
 public:
  /// `keys`: every key of `operation`; one that has two spellings stands as "n|seq".
  FieldReader(std::string operation, std::vector<std::string_view> keys);

  /// The first spelling of the field's key if it is known, new and followed by a value; otherwise
  /// nothing, and a mistake is kept.
  std::string_view take(const Field& field);
  /// A whole number in [1, largest]; 1 after a mistake.
  std::int64_t number(const Field& field, std::int64_t largest);
  /// 0 or 1.
  bool flag(const Field& field);
  /// Index of the value in `words`, 0 after a mistake.
  std::size_t choice(const Field& field, const std::vector<std::string_view>& words);

  [[nodiscard]] bool has(std::string_view key) const;
  /// A mistake for each of `keys` that was not taken.
  void require(const std::vector<std::string_view>& keys, int column);
  void complain(int column, std::string_view what, std::string reason);
  [[nodiscard]] const std::vector<Complaint>& complaints() const { return complaints_; }

 private:
  std::string operation_;
  std::vector<std::vector<std::string_view>> keys_;
  std::vector<std::string_view> seen_;
  std::vector<Complaint> complaints_;
};

}  // namespace tcsim::workload
