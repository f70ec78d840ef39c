#include "sim/networks/map_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "sim/config/nearest.hpp"

namespace tcsim::networks {

using config::Place;
using config::TreeEntry;
using config::TreeNode;

MapReader::MapReader(const TreeNode& node, std::string what, const Parameters& parameters,
                     config::Mistakes& mistakes)
    : node_(node),
      what_(std::move(what)),
      parameters_(parameters),
      mistakes_(mistakes),
      place_(node.place) {
  if (node.kind != TreeNode::Kind::kMapping)
    mistake(node.place, what_, fmt::format("a mapping belongs here, not {}", describe(node)));
  std::set<std::string> seen;
  for (const TreeEntry& entry : node.entries)
    if (!seen.insert(entry.name.text).second)
      mistake(entry.name.place, entry.name.text, "is given twice");
}

void MapReader::mistake(const Place& place, std::string_view key, const std::string& reason) {
  mistakes_.add(place, key, reason);
}

const TreeNode* MapReader::find(std::string_view key) {
  asked_.emplace_back(key);
  for (const TreeEntry& entry : node_.entries)
    if (entry.name.text == key) return &entry.value;
  return nullptr;
}

Place MapReader::place_of(std::string_view key) const {
  for (const TreeEntry& entry : node_.entries)
    if (entry.name.text == key) return entry.value.place;
  return place_;
}

std::optional<std::string> MapReader::resolved(const TreeNode& node, std::string_view key) {
  if (node.kind != TreeNode::Kind::kText) {
    mistake(node.place, key, fmt::format("a plain value belongs here, not {}", describe(node)));
    return std::nullopt;
  }
  if (!node.text.starts_with('$')) return node.text;
  const auto parameter = parameters_.find(std::string_view(node.text).substr(1));
  if (parameter != parameters_.end()) return parameter->second;
  mistake(node.place, key, fmt::format("'{}' is no parameter of this block", node.text));
  return std::nullopt;
}

std::optional<std::string> MapReader::text(std::string_view key, bool required) {
  if (const TreeNode* node = find(key)) return resolved(*node, key);
  if (required) mistake(place_, what_, fmt::format("'{}' is missing", key));
  return std::nullopt;
}

std::int64_t MapReader::number(std::string_view key, std::optional<std::int64_t> absent,
                               std::int64_t least, std::int64_t most) {
  const std::optional<std::string> word = text(key, /*required=*/!absent);
  if (!word) return absent.value_or(least);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), value);
  if (error != std::errc{} || end != word->data() + word->size()) {
    mistake(place_of(key), key, fmt::format("'{}' is not a whole number", *word));
    return least;
  }
  if (value < least || value > most) {
    mistake(place_of(key), key, fmt::format("{} is not between {} and {}", value, least, most));
    return least;
  }
  return value;
}

bool MapReader::flag(std::string_view key, bool absent) {
  const std::optional<std::string> word = text(key);
  if (!word) return absent;
  if (*word != "true" && *word != "false")
    mistake(place_of(key), key, fmt::format("'{}' is neither true nor false", *word));
  return *word == "true";
}

std::vector<std::string> MapReader::texts(std::string_view key) {
  const TreeNode* node = find(key);
  std::vector<std::string> words;
  if (node == nullptr) return words;
  const bool is_list = node->kind == TreeNode::Kind::kList;
  if (!is_list) {
    if (auto word = resolved(*node, key)) words.push_back(std::move(*word));
    return words;
  }
  for (const TreeNode& item : node->items)
    if (auto word = resolved(item, key)) words.push_back(std::move(*word));
  return words;
}

void MapReader::finish() {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  for (const TreeEntry& entry : node_.entries) {
    if (std::ranges::find(asked_, entry.name.text) != asked_.end()) continue;
    mistake(
        entry.name.place, entry.name.text,
        fmt::format("{} has no such key{}", what_, config::did_you_mean(entry.name.text, known)));
  }
}

}  // namespace tcsim::networks
