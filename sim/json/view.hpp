#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tcsim::json {

using Json = nlohmann::ordered_json;

/// A value of a JSON document that knows its file and its place. Reading it as something that it is
/// not is therefore reported as a mistake in that file, never as a defect of tcsim. All refusals
/// are config::ConfigError, `file: key.of.the.value: reason`.
///
///    const View stats = read("run-0001/stats.json");
///    for (const View& kernel : stats.at("kernels").elements())
///      total += kernel.at("cycles").get<std::int64_t>();
///
/// Copies are cheap: all views of a document share it.
class View {
 public:
  /// Null, without a file.
  View();
  /// The whole of `document`; messages name `file`.
  View(Json document, std::string file);

  /// The member called `key`. Refuses a value that is not an object, or has no such member.
  [[nodiscard]] View at(std::string_view key) const;
  /// The member called `key`, or nothing if the object lacks it. Refuses a value that is not an
  /// object.
  [[nodiscard]] std::optional<View> find(std::string_view key) const;
  [[nodiscard]] bool contains(std::string_view key) const { return find(key).has_value(); }

  /// Elements of an array, members of an object. They refuse everything else.
  [[nodiscard]] std::vector<View> elements() const;
  [[nodiscard]] std::vector<std::pair<std::string, View>> items() const;

  /// The value as bool, int, std::int64_t, std::uint64_t, double or std::string. Refuses any other
  /// type; if T is an integer, also integers outside the range of T and fractions.
  template <typename T>
  [[nodiscard]] T get() const;
  /// The number, which must not be below `least` or above `most`.
  [[nodiscard]] double number(double least, double most) const;

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool is_number() const { return value_->is_number(); }
  [[nodiscard]] bool is_string() const { return value_->is_string(); }
  [[nodiscard]] bool is_boolean() const { return value_->is_boolean(); }
  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  [[nodiscard]] bool is_array() const { return value_->is_array(); }
  /// True if the value is the string `word`.
  [[nodiscard]] bool is(std::string_view word) const;

  /// The value as it is.
  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] const std::string& file() const { return document_->file; }
  /// "metrics.tflops.value", "kernels[2].name"; empty for the whole document.
  [[nodiscard]] std::string place() const;
  /// Throws config::ConfigError, `file: place: reason`.
  [[noreturn]] void refuse(std::string_view reason) const;

 private:
  struct Document {
    Json root;
    std::string file;
  };

  View(std::shared_ptr<const Document> document, const Json& value);
  [[nodiscard]] std::string shown() const;

  std::shared_ptr<const Document> document_;
  const Json* value_;  ///< in document_
};

}  // namespace tcsim::json
