#include "workloads/import/field_reader.hpp"

#include <algorithm>
#include <charconv>

#include "workloads/trace/nearest_word.hpp"

namespace tcsim::workload {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::vector<std::string_view> spellings(std::string_view key) {
  std::vector<std::string_view> words;
  for (std::size_t start = 0; start <= key.size();) {
    const std::size_t end = std::min(key.find('|', start), key.size());
    words.push_back(key.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

}  // namespace

FieldReader::FieldReader(std::string operation, std::vector<std::string_view> keys)
    : operation_(std::move(operation)) {
  for (const std::string_view key : keys) keys_.push_back(spellings(key));
}

std::string_view FieldReader::take(const Field& field) {
  if (field.key.empty()) {
    complain(field.value_column, operation_, "expected KEY=VALUE, got " + quoted(field.value));
    return {};
  }
  const auto known = std::ranges::find_if(
      keys_, [&](const auto& words) { return std::ranges::find(words, field.key) != words.end(); });
  if (known == keys_.end()) {
    std::vector<std::string_view> all;
    for (const auto& words : keys_) all.insert(all.end(), words.begin(), words.end());
    complain(field.key_column, operation_,
             "unknown key " + quoted(field.key) + trace::did_you_mean(field.key, all));
    return {};
  }
  const std::string_view key = known->front();
  if (has(key)) {
    complain(field.key_column, operation_, quoted(field.key) + " is given twice");
    return {};
  }
  seen_.push_back(key);
  if (field.value.empty()) {
    complain(field.value_column, field.key, "nothing follows '='");
    return {};
  }
  return key;
}

std::int64_t FieldReader::number(const Field& field, std::int64_t largest) {
  const std::string_view text = field.value;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    complain(field.value_column, field.key, quoted(text) + " is not a whole number");
    return 1;
  }
  if (error != std::errc{} || value < 1 || value > largest) {
    complain(field.value_column, field.key,
             quoted(text) + " is not between 1 and " + std::to_string(largest));
    return 1;
  }
  return value;
}

bool FieldReader::flag(const Field& field) { return choice(field, {"0", "1"}) == 1; }

std::size_t FieldReader::choice(const Field& field, const std::vector<std::string_view>& words) {
  const auto found = std::ranges::find(words, field.value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string meant = trace::did_you_mean(field.value, words);
  if (meant.empty()) {
    meant = "; known:";
    for (const std::string_view word : words)
      meant += (word == words.front() ? " " : ", ") + std::string(word);
  }
  complain(field.value_column, field.key, "unknown value " + quoted(field.value) + meant);
  return 0;
}

bool FieldReader::has(std::string_view key) const {
  return std::ranges::find(seen_, key) != seen_.end();
}

void FieldReader::require(const std::vector<std::string_view>& keys, int column) {
  for (const std::string_view key : keys)
    if (!has(key)) complain(column, operation_, quoted(key) + " is missing");
}

void FieldReader::complain(int column, std::string_view what, std::string reason) {
  complaints_.push_back({column, std::string(what), std::move(reason)});
}

}  // namespace tcsim::workload
