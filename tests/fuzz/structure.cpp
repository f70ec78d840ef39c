#include "tests/fuzz/structure.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace tcsim::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongWord = 100'000;
constexpr std::size_t kDeep = 80'000;
// Stand for what no document can hold until it is written.
constexpr std::string_view kNoText = "(no text)";
constexpr std::string_view kDeeper = "\"(deeper)\"";
constexpr std::string_view kTwice = "\"(twice)\"";

template <typename Values>
const auto& one_of(const Values& values, std::mt19937& random) {
  return values[below(values.size(), random)];
}

/// All values of `json` in the order in which they are written.
void add_values(Json& json, std::vector<Json*>& values) {
  values.push_back(&json);
  if (!json.is_structured()) return;
  for (Json& value : json) add_values(value, values);
}

Json extreme_value(std::mt19937& random) {
  static const std::array extremes{Json(0),
                                   Json(-1),
                                   Json(1),
                                   Json(2147483648),
                                   Json(9223372036854775807),
                                   Json(18446744073709551615U),
                                   Json(-9223372036854775807),
                                   Json(1e308),
                                   Json(-1e308),
                                   Json(1e-320),
                                   Json(0.1),
                                   Json(1e15),
                                   Json(),
                                   Json(true),
                                   Json(""),
                                   Json("0"),
                                   Json("../../x"),
                                   Json(Json::array()),
                                   Json(Json::object()),
                                   Json::array({1, "a", nullptr}),
                                   Json{{"value", 1}}};
  switch (below(24, random)) {
    case 0:
      return std::string(kLongWord, 'x');
    case 1:
      return std::string(kNoText);
    case 2:
      return std::string(kDeeper.substr(1, kDeeper.size() - 2));
    case 3:
      return Json{{std::string(kTwice.substr(1, kTwice.size() - 2)), 1}};
    default:
      return one_of(extremes, random);
  }
}

void change_structure(Json& json, std::mt19937& random) {
  if (json.empty()) return;
  const std::size_t at = below(json.size(), random);
  auto element = json.begin();
  std::advance(element, at);
  switch (below(4, random)) {
    case 0:
      json.erase(element);
      return;
    case 1:
      if (json.is_array())
        json.push_back(Json(*element));
      else
        json["more"] = Json(*element);
      return;
    case 2: {
      auto other = json.begin();
      std::advance(other, below(json.size(), random));
      std::swap(*element, *other);
      return;
    }
    default:
      *element = extreme_value(random);
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string written(const Json& json, std::mt19937& random) {
  std::string text = json.dump(below(2, random) == 0 ? -1 : 1);
  replace_all(text, kNoText, "caf\xe9");
  if (text.find(kDeeper) != std::string::npos) {
    const char* opening = below(2, random) == 0 ? "[" : "{\"a\":";
    std::string deep;
    for (std::size_t i = 0; i < kDeep; ++i) deep += opening;
    replace_all(text, kDeeper, deep);
  }
  replace_all(text, kTwice, "\"a\":0,\"a\"");
  return text;
}

std::string changed_json(const std::string& text, std::mt19937& random) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return text;
  for (std::size_t change = below(2, random) + 1; change-- > 0;) {
    std::vector<Json*> values;
    add_values(json, values);
    Json& value = *one_of(values, random);
    if (value.is_structured() && below(2, random) == 0)
      change_structure(value, random);
    else
      value = extreme_value(random);
  }
  return written(json, random);
}

/// Where the tokens of `text` are: [begin, end) of runs without separators.
std::vector<std::pair<std::size_t, std::size_t>> tokens_of(const std::string& text) {
  constexpr std::string_view kSeparators = " \t\r\n,:;=[]{}()\"'/x";
  std::vector<std::pair<std::size_t, std::size_t>> tokens;
  for (std::size_t begin = text.find_first_not_of(kSeparators); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
    tokens.emplace_back(begin, end);
    begin = text.find_first_not_of(kSeparators, end);
  }
  return tokens;
}

std::string extreme_word(std::mt19937& random) {
  constexpr std::array<std::string_view, 30> kWords{"",
                                                    "0",
                                                    "-1",
                                                    "-0",
                                                    "1",
                                                    "65535",
                                                    "65536",
                                                    "2147483647",
                                                    "2147483648",
                                                    "4294967296",
                                                    "9223372036854775807",
                                                    "9223372036854775808",
                                                    "18446744073709551616",
                                                    "1e308",
                                                    "1e309",
                                                    "1e-320",
                                                    "nan",
                                                    "inf",
                                                    "-inf",
                                                    "0x10",
                                                    "010",
                                                    "1.5",
                                                    "true",
                                                    "~",
                                                    "[]",
                                                    "{}",
                                                    "caf\xe9",
                                                    "&a *a",
                                                    "../../x",
                                                    "=1+1"};
  switch (below(40, random)) {
    case 0:
      return std::string(kLongWord, '7');
    case 1:
      return std::string(kLongWord, 'x');
    case 2:
      return std::string(kDeep, one_of(std::string_view("[{("), random));
    default:
      return std::string(one_of(kWords, random));
  }
}

void change_token(std::string& text, std::mt19937& random) {
  const auto tokens = tokens_of(text);
  if (tokens.empty()) return;
  const auto [begin, end] = one_of(tokens, random);
  const std::string token = text.substr(begin, end - begin);
  const auto [other_begin, other_end] = one_of(tokens, random);
  switch (below(5, random)) {
    case 0:
      text.erase(begin, end - begin);
      return;
    case 1:
      text.insert(end, text.substr(std::min(end, text.size()), 1) + token);
      return;
    case 2:
      text.replace(begin, end - begin, text.substr(other_begin, other_end - other_begin));
      return;
    default:
      text.replace(begin, end - begin, extreme_word(random));
  }
}

void change_line(std::string& text, std::mt19937& random) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::size_t at = below(lines.size(), random);
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(5, random)) {
    case 0:
      lines.erase(place);
      break;
    case 1:
      lines.insert(place, std::string(*place));
      break;
    case 2:
      std::swap(*place, lines[below(lines.size(), random)]);
      break;
    case 3:
      place->insert(0, below(2, random) == 0 ? "  " : "    ");
      break;
    default:
      place->erase(0, place->find_first_not_of(' ') == 0 ? 0 : 2);
  }
  text.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i > 0 ? "\n" : "") + lines[i];
}

std::string changed_text(std::string text, std::mt19937& random) {
  for (std::size_t change = below(3, random) + 1; change-- > 0;) {
    if (below(3, random) == 0)
      change_line(text, random);
    else
      change_token(text, random);
  }
  return text;
}

}  // namespace

std::string restructured(const std::string& text, Form form, std::mt19937& random) {
  switch (form) {
    case Form::kBinary:
      return text;
    case Form::kText:
      return changed_text(text, random);
    case Form::kJson:
      return below(8, random) == 0 ? changed_text(text, random) : changed_json(text, random);
  }
  return text;
}

}  // namespace tcsim::fuzz
