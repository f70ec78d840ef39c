#include "sim/mma/json_line.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/json/parse.hpp"

namespace tcsim::mma {

namespace {

/// The position after the string literal that starts at `at`, or npos.
std::size_t string_end(const std::string& text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return std::string::npos;
}

/// Where the value of a member of the outer object starts, or npos.
std::size_t value_begin(const std::string& text, const std::string& key) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == '}' || text[i] == ']') --depth;
    if (text[i] != '"') continue;
    const std::size_t end = string_end(text, i);
    if (end == std::string::npos) return end;
    const std::size_t next = text.find_first_not_of(" \t", end);
    const bool is_key = next != std::string::npos && text[next] == ':';
    if (depth == 1 && is_key && text.compare(i + 1, end - i - 2, key) == 0)
      return text.find_first_not_of(" \t", next + 1);
    i = end - 1;
  }
  return std::string::npos;
}

/// A value as shown in a message.
std::string shown(const nlohmann::json& value) {
  constexpr std::size_t kBytes = 40;
  if (value.is_structured()) return value.type_name();
  const std::string text = value.dump();
  return text.size() <= kBytes ? text : text.substr(0, kBytes) + "...";
}

}  // namespace

JsonLine::JsonLine(std::string text, std::string file, int line_number)
    : text_(std::move(text)), file_(std::move(file)), line_number_(line_number) {
  constexpr json::Limits kRecord{.levels = 8, .keys_of_an_object = 1000};
  json::check_text(text_, file_, kRecord, line_number_);
  object_ = nlohmann::json::parse(text_);
  if (!object_.is_object())
    throw UsageError(fmt::format("{}: expected a JSON object, got {}",
                                 to_string(Position{file_, line_number_, 1}), object_.type_name()));
}

Position JsonLine::position(const std::string& key, int index, std::size_t offset) const {
  std::size_t at = value_begin(text_, key);
  if (at == std::string::npos) return {file_, line_number_, 1};
  for (int string = 0; index >= 0; ++string) {
    at = text_.find('"', at);
    if (at == std::string::npos) return {file_, line_number_, 1};
    if (string == index) {
      at += 1 + offset;
      break;
    }
    at = string_end(text_, at);
  }
  return {file_, line_number_, static_cast<int>(at) + 1};
}

UsageError JsonLine::error(const std::string& key, const std::string& reason, int index,
                           std::size_t offset) const {
  const std::string place = to_string(position(key, index, offset));
  return UsageError(fmt::format("{}: {}: {}", place, key, reason));
}

NotCovered JsonLine::unsupported(const std::string& key, const std::string& reason) const {
  return NotCovered(fmt::format("{}: {}: {}", to_string(position(key, -1, 0)), key, reason));
}

std::optional<std::string> JsonLine::string(const std::string& key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) return std::nullopt;
  if (!found->is_string())
    throw error(key, fmt::format("expected a string, got {}", shown(*found)));
  return found->get<std::string>();
}

std::optional<int> JsonLine::integer(const std::string& key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) return std::nullopt;
  const bool fits =
      found->is_number_unsigned()
          ? std::in_range<int>(found->get<std::uint64_t>())
          : found->is_number_integer() && std::in_range<int>(found->get<std::int64_t>());
  if (!fits) throw error(key, fmt::format("expected an integer, got {}", shown(*found)));
  return found->get<int>();
}

std::vector<std::string> JsonLine::strings(const std::string& key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) throw error(key, "missing");
  if (!found->is_array()) throw error(key, "expected an array of strings");
  std::vector<std::string> values;
  for (const auto& value : *found) {
    if (!value.is_string())
      throw error(key, fmt::format("expected strings only, got {}", shown(value)));
    values.push_back(value.get<std::string>());
  }
  return values;
}

}  // namespace tcsim::mma
