#include "workloads/import/operator_fields.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::workload {
namespace {

using files::did_you_mean;
using kernels::Element;

/// Types of real tensor cores for which no kernel is generated.
constexpr std::array<std::string_view, 7> kOtherElements{"fp8",   "fp8_e4m3", "fp8_e5m2", "int4",
                                                         "uint8", "b1",       "fp4"};

std::string quoted(std::string_view text) { return files::shown(text); }

std::optional<Element> element_named(std::string_view name) {
  const auto* const found = std::ranges::find(kernels::kElementNames, name);
  if (found == kernels::kElementNames.end()) return std::nullopt;
  return static_cast<Element>(found - kernels::kElementNames.begin());
}

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace

std::vector<Field> parts(const Field& field, char separator) {
  std::vector<Field> all;
  for (std::size_t start = 0; start <= field.value.size();) {
    const std::size_t end = std::min(field.value.find(separator, start), field.value.size());
    all.push_back({field.key, field.value.substr(start, end - start), field.key_column,
                   field.value_column + static_cast<int>(start)});
    start = end + 1;
  }
  return all;
}

std::vector<Field> split_fields(std::string_view text, char separator, int first_column) {
  std::vector<Field> fields = parts({{}, text, first_column, first_column}, separator);
  for (Field& field : fields) {
    field.key_column = field.value_column;
    const std::size_t equals = field.value.find('=');
    if (equals == std::string_view::npos) continue;
    field.key = field.value.substr(0, equals);
    field.value.remove_prefix(equals + 1);
    field.value_column += static_cast<int>(equals) + 1;
  }
  return fields;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

Element default_accumulate(Element input) {
  if (input == Element::kInt8) return Element::kInt32;
  return input == Element::kFp64 ? Element::kFp64 : Element::kFp32;
}

Element default_output(Element input, Element accumulate) {
  if (kernels::is_fp8(input)) return Element::kBf16;
  return input == Element::kFp16 || input == Element::kBf16 ? input : accumulate;
}

OperatorFields::OperatorFields(std::string_view operation,
                               const std::vector<std::string_view>& keys)
    : operation_(operation) {
  for (const std::string_view key : keys) {
    std::vector<std::string_view>& spellings = keys_.emplace_back();
    for (const Field& part : parts({{}, key, 0, 0}, '|')) spellings.push_back(part.value);
  }
}

std::vector<std::string> OperatorFields::keys() const {
  std::vector<std::string> names;
  for (const auto& spelled : keys_) names.emplace_back(spelled.front());
  return names;
}

void OperatorFields::complain(int column, std::string_view what, std::string reason) {
  complaints_.push_back({column, std::string(what), std::move(reason)});
}

bool OperatorFields::was_given(std::string_view key) const {
  return std::ranges::find(seen_, key) != seen_.end();
}

void OperatorFields::require(std::span<const std::string_view> keys, int end_column) {
  for (const std::string_view key : keys)
    if (!was_given(key)) complain(end_column, operation_, quoted(key) + " is missing");
}

std::string_view OperatorFields::accept(const Field& field) {
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
             "unknown key " + quoted(field.key) + files::did_you_mean(field.key, all));
    return {};
  }
  const std::string_view key = known->front();
  if (std::ranges::find(stated_, key) != stated_.end()) {
    complain(field.key_column, operation_, "the operation already states " + quoted(field.key));
    return {};
  }
  if (was_given(key)) {
    complain(field.key_column, operation_, quoted(field.key) + " is given twice");
    return {};
  }
  mark_given(key);
  if (field.value.empty()) {
    complain(field.value_column, field.key, "nothing follows '='");
    return {};
  }
  return key;
}

std::int64_t OperatorFields::number(const Field& field, std::int64_t smallest,
                                    std::int64_t largest) {
  const std::string_view text = field.value;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (!is_number) {
    complain(field.value_column, field.key, quoted(text) + " is not a whole number");
    return smallest;
  }
  if (error != std::errc{} || value < smallest || value > largest) {
    complain(field.value_column, field.key,
             quoted(text) + " is not between " + std::to_string(smallest) + " and " +
                 std::to_string(largest));
    return smallest;
  }
  return value;
}

std::array<std::int64_t, 2> OperatorFields::pair(const Field& field, std::int64_t smallest,
                                                 std::int64_t largest) {
  const std::size_t cross = field.value.find('x');
  if (cross == std::string_view::npos) {
    const std::int64_t value = number(field, smallest, largest);
    return {value, value};
  }
  Field first = field;
  first.value = field.value.substr(0, cross);
  Field second = field;
  second.value = field.value.substr(cross + 1);
  second.value_column += static_cast<int>(cross) + 1;
  return {number(first, smallest, largest), number(second, smallest, largest)};
}

std::optional<Element> OperatorFields::element(const Field& field,
                                               std::span<const Element> generated,
                                               std::string_view kernel) {
  const std::string name = lower_case(field.value);
  const std::optional<Element> known = element_named(name);
  const bool exists = known || std::ranges::find(kOtherElements, name) != kOtherElements.end();
  if (known && std::ranges::find(generated, *known) != generated.end()) return known;
  if (exists) {
    unsupported_ = "no " + std::string(kernel) + " kernel is generated for " +
                   std::string(field.key) + "=" + name;
    return std::nullopt;
  }
  std::vector<std::string_view> words;
  for (const Element one : generated) words.push_back(element_name(one));
  (void)choice(field, words);  // which complains
  return std::nullopt;
}

bool OperatorFields::flag(const Field& field) {
  constexpr std::array<std::string_view, 2> kFlags{"0", "1"};
  return choice(field, kFlags) == 1;
}

std::optional<Element> OperatorFields::element(const Field& field) {
  const std::string name = lower_case(field.value);
  if (const std::optional<Element> known = element_named(name)) return known;
  if (std::ranges::find(kOtherElements, name) != kOtherElements.end()) {
    unsupported_ = "no kernel is generated for " + std::string(field.key) + "=" + name +
                   (name.starts_with("fp8") ? " (use e4m3 or e5m2)" : "");
    return std::nullopt;
  }
  const std::string meant =
      did_you_mean(name, {kernels::kElementNames.begin(), kernels::kElementNames.end()});
  complain(field.value_column, field.key,
           "unknown type " + quoted(field.value) +
               (meant.empty() ? "; known: " + joined(kernels::kElementNames) : meant));
  return std::nullopt;
}

std::optional<std::size_t> OperatorFields::choice(const Field& field,
                                                  std::span<const std::string_view> words) {
  const std::string name = lower_case(field.value);
  const auto found = std::ranges::find(words, name);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  complain(field.value_column, field.key,
           quoted(field.value) + " is not one of " + joined(words) +
               files::did_you_mean(name, {words.begin(), words.end()}));
  return std::nullopt;
}

}  // namespace tcsim::workload
