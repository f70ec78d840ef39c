#include "sim/library/strict_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "sim/config/nearest.hpp"
#include "sim/config/number.hpp"

namespace tcsim::library {

using config::Place;
using config::TreeEntry;
using config::TreeNode;

StrictMap::StrictMap(const TreeNode& node, std::string path, config::Mistakes& mistakes)
    : node_(node), path_(std::move(path)), mistakes_(mistakes) {
  if (node.kind != TreeNode::Kind::kMapping)
    mistakes_.add(node.place, path_, fmt::format("expected a mapping, got {}", describe(node)));
  std::map<std::string, int> first_lines;
  for (const TreeEntry& entry : node.entries) {
    const auto [first, is_new] = first_lines.emplace(entry.name.text, entry.name.place.line);
    if (!is_new)
      mistake(entry.name.place, entry.name.text,
              fmt::format("given twice, first at line {}", first->second));
  }
}

std::string StrictMap::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

Place StrictMap::place_of(std::string_view key) const {
  for (const TreeEntry& entry : node_.entries)
    if (entry.name.text == key) return entry.value.place;
  return node_.place;
}

void StrictMap::mistake(const Place& place, std::string_view key, const std::string& reason) {
  is_sound_ = false;
  mistakes_.add(place, path_of(key), reason);
}

const TreeNode* StrictMap::find(std::string_view key, bool required) {
  asked_.emplace_back(key);
  for (const TreeEntry& entry : node_.entries)
    if (entry.name.text == key) return &entry.value;
  if (required && node_.kind == TreeNode::Kind::kMapping) mistake(node_.place, key, "missing");
  return nullptr;
}

std::optional<std::string> StrictMap::plain(const TreeNode& node, std::string_view key,
                                            std::string_view wanted) {
  if (node.kind == TreeNode::Kind::kText) return node.text;
  mistake(node.place, key, fmt::format("expected {}, got {}", wanted, describe(node)));
  return std::nullopt;
}

std::string StrictMap::text(std::string_view key, bool required) {
  const TreeNode* node = find(key, required);
  return node == nullptr ? "" : plain(*node, key, "text").value_or("");
}

std::optional<int> StrictMap::integer_in(const TreeNode& node, std::string_view key, int least,
                                         int most) {
  const auto word = plain(node, key, "an integer");
  if (!word) return std::nullopt;
  const auto reading = config::read_integer(*word, "");
  if (!reading.value)
    mistake(node.place, key, reading.reason);
  else if (*reading.value < least || *reading.value > most)
    mistake(node.place, key,
            fmt::format("{} is out of range; allowed are {} to {}", *word, least, most));
  else
    return static_cast<int>(*reading.value);
  return std::nullopt;
}

int StrictMap::integer(std::string_view key, int least, int most) {
  const TreeNode* node = find(key);
  return node == nullptr ? least : integer_in(*node, key, least, most).value_or(least);
}

double StrictMap::number(std::string_view key, double least, double most) {
  const TreeNode* node = find(key);
  if (node == nullptr) return least;
  const auto word = plain(*node, key, "a number");
  if (!word) return least;
  const auto reading = config::read_number(*word, "");
  if (!reading.value)
    mistake(node->place, key, reading.reason);
  else if (*reading.value < least || *reading.value > most)
    mistake(node->place, key,
            fmt::format("{} is out of range; allowed are {} to {}", *word,
                        config::number_text(least), config::number_text(most)));
  else
    return *reading.value;
  return least;
}

bool StrictMap::flag(std::string_view key) { return word(key, {"false", "true"}) == 1; }

std::size_t StrictMap::word(std::string_view key, const std::vector<std::string_view>& words,
                            std::optional<std::size_t> absent) {
  const TreeNode* node = find(key, /*required=*/!absent);
  if (node == nullptr) return absent.value_or(0);
  const auto word = plain(*node, key, "a word");
  if (!word) return 0;
  const auto found = std::ranges::find(words, *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  mistake(node->place, key,
          fmt::format("'{}' is not one of {}{}", *word, fmt::join(words, ", "),
                      config::did_you_mean(*word, words)));
  return 0;
}

std::vector<std::size_t> StrictMap::words(std::string_view key,
                                          const std::vector<std::string_view>& words) {
  std::vector<std::size_t> indices;
  each(key, [&](const TreeNode& item) {
    const auto word = plain(item, key, "a word");
    if (!word) return;
    const auto found = std::ranges::find(words, *word);
    const auto index = static_cast<std::size_t>(found - words.begin());
    if (found == words.end())
      mistake(item.place, key,
              fmt::format("'{}' is not one of {}{}", *word, fmt::join(words, ", "),
                          config::did_you_mean(*word, words)));
    else if (std::ranges::find(indices, index) != indices.end())
      mistake(item.place, key, fmt::format("'{}' is given twice", *word));
    else
      indices.push_back(index);
  });
  return indices;
}

std::vector<int> StrictMap::integers(std::string_view key, int least, int most) {
  std::vector<int> numbers;
  each(key, [&](const TreeNode& item) {
    const auto number = integer_in(item, key, least, most);
    if (!number) return;
    if (!numbers.empty() && *number <= numbers.back())
      mistake(item.place, key, fmt::format("{} does not ascend", *number));
    numbers.push_back(*number);
  });
  return numbers;
}

void StrictMap::each(std::string_view key, const std::function<void(const TreeNode&)>& item) {
  const TreeNode* node = find(key);
  if (node == nullptr) return;
  if (node->kind != TreeNode::Kind::kList || node->items.empty()) {
    mistake(node->place, key, fmt::format("expected a list, got {}", describe(*node)));
    return;
  }
  for (const TreeNode& one : node->items) item(one);
}

std::vector<int> StrictMap::sizes(std::string_view key, std::size_t count) {
  constexpr int kMost = 1 << 12;
  const TreeNode* node = find(key);
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
  for (const TreeEntry& entry : node_.entries)
    if (std::ranges::find(asked_, entry.name.text) == asked_.end())
      mistake(entry.name.place, entry.name.text,
              "unknown key" + config::did_you_mean(entry.name.text, known));
}

}  // namespace tcsim::library
