#include "sim/config/strict_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "sim/config/number.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::config {

using Kind = TreeNode::Kind;

StrictMap::StrictMap(const TreeNode& node, std::string path, Mistakes& mistakes)
    : node_(node), path_(std::move(path)), place_(node.place), mistakes_(mistakes) {
  if (place_.line == 0) place_ = {1, 1, 0, node.place.base};  // of an empty file
  if (node.kind != Kind::kMapping)
    mistakes_.add(place_, path_, fmt::format("expected a mapping, got {}", describe(node)));
  std::map<std::string, int> first_lines;
  for (const TreeEntry& entry : node.entries) {
    const TreeNode& name = entry.name;
    const auto [first, is_new] = first_lines.emplace(name.text, name.place.line);
    if (name.kind != Kind::kText)
      mistakes_.add(name.place, path_, "expected a word as key, got " + describe(name));
    else if (!is_new)
      mistake(name.place, name.text, fmt::format("given twice, first at line {}", first->second));
  }
}

std::string StrictMap::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

Place StrictMap::place_of(std::string_view key) const {
  for (const TreeEntry& entry : node_.entries)
    if (entry.name.text == key) return entry.value.place;
  return place_;
}

void StrictMap::mistake(const Place& place, std::string_view key, const std::string& reason) {
  is_sound_ = false;
  mistakes_.add(place, path_of(key), reason);
}

const TreeNode* StrictMap::find(std::string_view key, bool required) {
  asked_.emplace_back(key);
  for (const TreeEntry& entry : node_.entries)
    if (entry.name.kind == Kind::kText && entry.name.text == key) return &entry.value;
  if (required && node_.kind == Kind::kMapping) mistake(place_, key, "missing");
  return nullptr;
}

std::optional<StrictMap> StrictMap::section(std::string_view key, bool required) {
  const TreeNode* node = find(key, required);
  if (node == nullptr) return std::nullopt;
  return StrictMap(*node, path_of(key), mistakes_);
}

std::optional<std::string> StrictMap::plain(const TreeNode& node, std::string_view key,
                                            std::string_view wanted) {
  if (node.kind == Kind::kText && !node.text.empty()) return node.text;
  mistake(node.place, key, fmt::format("expected {}, got {}", wanted, describe(node)));
  return std::nullopt;
}

std::string StrictMap::text(std::string_view key, bool required) {
  const TreeNode* node = find(key, required);
  const bool is_left_out =
      node == nullptr || (!required && node->kind == Kind::kText && node->text.empty());
  return is_left_out ? "" : plain(*node, key, "text").value_or("");
}

std::optional<std::int64_t> StrictMap::integer_in(const TreeNode& node, std::string_view key,
                                                  std::int64_t least, std::int64_t most) {
  const auto word = plain(node, key, "an integer");
  if (!word) return std::nullopt;
  const auto reading = read_integer(*word, "");
  const std::string reason =
      reading.value ? check_range(*word, static_cast<double>(*reading.value),
                                  static_cast<double>(least), static_cast<double>(most))
                    : reading.reason;
  if (reason.empty()) return *reading.value;
  mistake(node.place, key, reason);
  return std::nullopt;
}

std::int64_t StrictMap::integer(std::string_view key, std::int64_t least, std::int64_t most,
                                std::optional<std::int64_t> absent) {
  const TreeNode* node = find(key, /*required=*/!absent);
  const std::int64_t otherwise = absent.value_or(least);
  return node == nullptr ? otherwise : integer_in(*node, key, least, most).value_or(otherwise);
}

double StrictMap::number(std::string_view key, double least, double most,
                         std::optional<double> absent) {
  const TreeNode* node = find(key, /*required=*/!absent);
  const double otherwise = absent.value_or(least);
  if (node == nullptr) return otherwise;
  const auto word = plain(*node, key, "a number");
  if (!word) return otherwise;
  const auto reading = read_number(*word, "");
  const std::string reason =
      reading.value ? check_range(*word, *reading.value, least, most) : reading.reason;
  if (reason.empty()) return *reading.value;
  mistake(node->place, key, reason);
  return otherwise;
}

bool StrictMap::flag(std::string_view key, std::optional<bool> absent) {
  return word(key, {"false", "true"}, absent) == 1;
}

std::optional<std::size_t> StrictMap::index_in(const TreeNode& node, std::string_view key,
                                               const std::vector<std::string_view>& words) {
  const auto word = plain(node, key, "a word");
  if (!word) return std::nullopt;
  const auto found = std::ranges::find(words, *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  mistake(node.place, key,
          fmt::format("{} is not one of {}{}", files::shown(*word), fmt::join(words, ", "),
                      files::did_you_mean(*word, words)));
  return std::nullopt;
}

std::size_t StrictMap::word(std::string_view key, const std::vector<std::string_view>& words,
                            std::optional<std::size_t> absent) {
  const TreeNode* node = find(key, /*required=*/!absent);
  const std::size_t otherwise = absent.value_or(0);
  return node == nullptr ? otherwise : index_in(*node, key, words).value_or(otherwise);
}

std::vector<std::size_t> StrictMap::words(std::string_view key,
                                          const std::vector<std::string_view>& words) {
  std::vector<std::size_t> indices;
  for (const TreeNode& item : list(key, /*required=*/true)) {
    const auto index = index_in(item, key, words);
    if (!index) continue;
    if (std::ranges::find(indices, *index) != indices.end())
      mistake(item.place, key, fmt::format("'{}' is given twice", item.text));
    else
      indices.push_back(*index);
  }
  return indices;
}

std::vector<int> StrictMap::integers(std::string_view key, int least, int most) {
  std::vector<int> numbers;
  for (const TreeNode& item : list(key, /*required=*/true)) {
    const auto number = integer_in(item, key, least, most);
    if (!number) continue;
    if (!numbers.empty() && *number <= numbers.back())
      mistake(item.place, key, fmt::format("{} does not ascend", *number));
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers;
}

std::span<const TreeNode> StrictMap::list(std::string_view key, bool required) {
  const TreeNode* node = find(key, required);
  if (node == nullptr) return {};
  if (node->kind == Kind::kList && !node->items.empty()) return node->items;
  mistake(node->place, key, "expected a list of at least one item, got " + describe(*node));
  return {};
}

std::vector<std::string> StrictMap::texts(std::string_view key, bool required) {
  const TreeNode* node = find(key, required);
  if (node == nullptr) return {};
  std::vector<std::string> texts;
  const std::span<const TreeNode> items =
      node->kind == Kind::kList ? std::span(node->items) : std::span(node, 1);
  for (const TreeNode& item : items)
    if (auto text = plain(item, key, "text")) texts.push_back(std::move(*text));
  return texts;
}

std::vector<int> StrictMap::sizes(std::string_view key, std::size_t count, bool required) {
  constexpr int kMost = 1 << 12;
  const TreeNode* node = find(key, required);
  if (node == nullptr) return {};
  const auto word = plain(*node, key, "sizes");
  if (!word) return {};
  std::vector<int> sizes;
  const char* next = word->data();
  const char* end = next + word->size();
  for (bool is_good = true; is_good && next <= end;) {
    int size = 0;
    const auto [behind, error] = std::from_chars(next, end, size);
    is_good =
        error == std::errc{} && size > 0 && size <= kMost && (behind == end || *behind == 'x');
    if (is_good) sizes.push_back(size);
    next = behind + 1;
    if (!is_good) sizes.clear();
  }
  if (sizes.size() == count) return sizes;
  constexpr std::string_view kForms[] = {"", "128", "128x64", "128x64x32"};
  mistake(node->place, key,
          fmt::format("expected sizes as '{}' of 1 to {}, got '{}'", kForms[count], kMost, *word));
  return {};
}

void StrictMap::finish() {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  for (const TreeEntry& entry : node_.entries) {
    const TreeNode& name = entry.name;
    if (name.kind == Kind::kText && std::ranges::find(asked_, name.text) == asked_.end())
      mistake(name.place, name.text, "unknown key" + files::did_you_mean(name.text, known));
  }
}

}  // namespace tcsim::config
