#include "sim/microbench/test_words.hpp"

#include <fmt/core.h>

#include <optional>

#include "sim/text/number.hpp"

namespace tcsim::microbench {
namespace {

std::optional<std::int64_t> parse_value(std::string_view text) {
  std::int64_t scale = 1;
  if (text.ends_with("KiB")) scale = 1024;
  if (text.ends_with("MiB")) scale = std::int64_t{1024} * 1024;
  if (scale > 1) text.remove_suffix(3);
  const auto value = text::number_of<std::int64_t>(text);
  if (!value || *value < 0 || *value > INT64_MAX / scale) return std::nullopt;
  return *value * scale;
}

}  // namespace

std::int64_t TestWords::value(std::string_view key, std::int64_t otherwise) const {
  const auto found = parameters.find(key);
  return found == parameters.end() ? otherwise : found->second;
}

TestWords parse_test(std::string_view text, std::vector<std::string>& mistakes) {
  TestWords test;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    if (test.program.empty()) {
      test.program = word;
      continue;
    }
    const std::size_t equals = word.find('=');
    const auto value =
        equals == std::string_view::npos ? std::nullopt : parse_value(word.substr(equals + 1));
    if (!value)
      mistakes.push_back(fmt::format("'{}' is not a parameter=integer", word));
    else if (!test.parameters.emplace(std::string(word.substr(0, equals)), *value).second)
      mistakes.push_back(fmt::format("'{}' is given twice", word.substr(0, equals)));
  }
  if (test.program.empty()) mistakes.emplace_back("names no program");
  return test;
}

}  // namespace tcsim::microbench
